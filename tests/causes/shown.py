"""What shows that a causal sentence is true: an experiment, a source, or nothing to show.

An experiment is a function without arguments that asserts. Its control differs in one thing only.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class OwnedBy:
    """A test elsewhere that owns the fact: its file and its name."""

    file: str
    name: str


@dataclass(frozen=True)
class Source:
    """Documentation, a paper, or a line of source that says what a sentence says."""

    text: str


@dataclass(frozen=True)
class NoCause:
    """Why there is nothing to run: a definition, a convention of this course, an instruction."""

    text: str


DEFINITION = NoCause("it follows from a definition or from the words before it")
DESIGN = NoCause("it says why a cell or an exercise of this course is as it is")
RANGES = NoCause("it follows from the claims' predictions, which are declared as ranges")

Shown = Callable[[], None] | OwnedBy | Source | NoCause


@functools.cache
def python(code: str, *, limit: int = 60) -> subprocess.CompletedProcess[str]:
    """Run a program in a Python process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=limit,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
