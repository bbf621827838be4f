"""The options of ``pytest tests/graded``, known before pytest looks at any folder.

An option that pytest does not know yet is passed over, and the path after it is taken for one of
tests: its ``conftest.py`` would run. So this is loaded by name from ``pyproject.toml``.
"""

from __future__ import annotations

from typing import Any


def pytest_addoption(parser: Any) -> None:
    """Declare which submission is graded, and with which cases."""
    group = parser.getgroup("hpml", "grading exercises")
    group.addoption("--submission", metavar="PATH", help="what to grade (default: notebooks/)")
    group.addoption("--seed", type=int, metavar="S", help="seed of the cases (default: random)")
