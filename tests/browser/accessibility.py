"""What axe-core, the usual checker of accessibility, finds wrong on a page."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from typing import Any

import pytest

GRAVE = ("serious", "critical")
ALL = ("minor", "moderate", *GRAVE)


def violations(page: Any, part: str = "body", impacts: Collection[str] = GRAVE) -> list[str]:
    """Return a line for each element of a part of a page that violates a rule gravely.

    Args:
        page: where to look.
        part: a CSS selector; what lies outside is not looked at, such as JupyterLab's own.
        impacts: which rules count, by how much their violation hurts.
    """
    checker = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe; `make .venv` installs it"
    )
    # ipywidgets gives the handle of a slider no name, only the slider a label beside it.
    context = {"include": [[part]], "exclude": [[".noUi-handle"]]}
    found = checker.Axe().run(page, context=context).response["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:160]}; {node['failureSummary'][-160:]}"
        for rule in found
        if rule["impact"] in impacts
        for node in rule["nodes"]
    ]


@contextlib.contextmanager
def dark(page: Any) -> Iterator[None]:
    """Switch JupyterLab to its dark theme, and back: the server would keep it for other tests."""
    change = "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
    seen = "light => document.body.dataset.jpThemeLight === light"
    page.evaluate(change, "JupyterLab Dark")
    page.wait_for_function(seen, arg="false")
    try:
        yield
    finally:
        page.evaluate(change, "JupyterLab Light")
        page.wait_for_function(seen, arg="true")
