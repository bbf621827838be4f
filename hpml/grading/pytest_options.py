"""The options of ``pytest tests/graded``, known before pytest looks at any folder.

An option that pytest does not know yet is passed over, and the path after it is taken for one of
tests: its ``conftest.py`` would run. So this is loaded by name from ``pyproject.toml``. Before even
that, pytest reads the settings nearest to whatever looks like a path; so only one word is taken,
``--submission=PATH``.
"""

from __future__ import annotations

from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    """Declare which submission is graded, and with which cases."""
    group = parser.getgroup("hpml", "grading exercises")
    group.addoption("--submission", metavar="PATH", help="what to grade (default: notebooks/)")
    group.addoption("--seed", type=int, metavar="S", help="seed of the cases (default: random)")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(args: list[str]) -> None:
    """Refuse the submission as a word of its own, before any ``conftest.py`` runs."""
    if "--submission" in args:
        raise pytest.UsageError(
            "--submission: expected --submission=PATH with `=`, got PATH as a separate word. "
            "Pytest would read settings from it."
        )
