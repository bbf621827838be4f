"""The options of ``pytest tests/graded``, declared before pytest looks at any folder.

Pytest skips an option that it does not know yet and takes the path after it for a test folder,
whose ``conftest.py`` would run. So ``pyproject.toml`` loads this module by name. Even before that,
pytest reads the settings nearest to any word that looks like a path; so only ``--submission=PATH``,
one word, is accepted.
"""

from __future__ import annotations

from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    """Declare the options for the submission and the seed of the cases."""
    group = parser.getgroup("hpml", "grading exercises")
    group.addoption("--submission", metavar="PATH", help="what to grade (default: notebooks/)")
    group.addoption("--lab", metavar="N", help="only this lab, whatever the notebook's name is")
    group.addoption("--seed", type=int, metavar="S", help="seed of the cases (default: random)")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(args: list[str]) -> None:
    """Refuse a submission given as a separate word before any ``conftest.py`` runs."""
    if "--submission" in args:
        raise pytest.UsageError(
            "--submission: expected --submission=PATH with `=`, received PATH as a separate word. "
            "Write it with `=`: pytest would read settings from a separate word."
        )
