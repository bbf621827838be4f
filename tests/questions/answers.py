"""What shows that the answers to the exam questions are right.

Each ``lab_NN.py`` has, for each question of ``NN.md`` whose answer can be executed, a function that
is named by the question's number, such as ``question_3`` (and ``question_3_timed`` where times are
compared). It returns the number or the text of the choice that its run supports, or asserts what
the model answer says and returns None. Where versions of Python differ, `by_python` declares the
result of each. ``SOURCES`` names a source for what cannot be run here.
"""

from __future__ import annotations

import importlib
import re
import runpy
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

Check = Callable[[], object]
_Function = TypeVar("_Function", bound=Check)

FOLDER = Path(__file__).parent
SOLUTIONS = FOLDER.parent / "solutions"
_NAME = re.compile(r"question_(\d)(?:_timed)?")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def by_python(**rows: object) -> Callable[[_Function], _Function]:
    """Declare what a check returns on each version of Python, such as ``py311=(4, 4)``."""

    def declare(function: _Function) -> _Function:
        results = {f"3.{name.removeprefix('py3')}": row for name, row in rows.items()}
        function.__dict__["by_python"] = results
        return function

    return declare


def results_by_python(check: Check) -> Mapping[str, object] | None:
    """Return the declared result for each version of Python, or None if they do not differ."""
    declared: Mapping[str, object] | None = getattr(check, "by_python", None)
    return declared


def module_of(lab: str) -> ModuleType:
    """Return the module with the checks of a lab's questions."""
    return importlib.import_module(f"tests.questions.lab_{lab}")


def checks(lab: str) -> Iterator[tuple[int, str, Check]]:
    """Yield the number of a question, the name of a function and the function itself."""
    for name, value in vars(module_of(lab)).items():
        if found := _NAME.fullmatch(name):
            yield int(found[1]), name, value


def sources(lab: str) -> Mapping[int, str]:
    """Return the sources that are named instead of a run, by the number of the question."""
    named: Mapping[int, str] = getattr(module_of(lab), "SOURCES", {})
    return named


def solution(exercise: str) -> Any:
    """Return the function that solves an exercise, such as ``"lab_09/self_times"``."""
    return runpy.run_path(str(SOLUTIONS / exercise / "right.py"))[exercise.partition("/")[2]]


def ratio_of_times(
    one: Callable[[], object], other: Callable[[], object], *, rounds: int = 225
) -> tuple[float, float]:
    """Return the interval of the ratio of two processor times, from interleaved rounds."""
    from hpml.benchmark import compare

    compared = compare(
        {"other": other, "one": one}, rounds=rounds, min_sample_time=3e-4, clock=time.process_time
    )
    return compared.ratio("one").low, compared.ratio("one").high
