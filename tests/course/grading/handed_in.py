"""Submissions for the grader's tests: notebooks made from the sources of their cells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from hpml.course.grading.find import find
from hpml.course.grading.grader import Grader
from hpml.course.grading.record import Report
from hpml.course.grading.sandbox import Limits
from tests.course.grading import small_catalogue

CATALOGUE: Any = small_catalogue
PATIENT: Any = ModuleType("patient")  # for submissions that need their time
vars(PATIENT).update(
    LABS=CATALOGUE.LABS,
    choice=CATALOGUE.choice,
    exercises=lambda lab: tuple(replace(e, seconds=30.0) for e in CATALOGUE.exercises(lab)),
)
LAB = "06_forward_order.ipynb"

DOUBLE = "def double(n):\n    return 2 * n"
TOTAL = "def total(numbers):\n    return sum(numbers)"
EXPLANATION = "explanation = 2  # 1, 2 or 3\nexplain(explanation)"
RIGHT = (DOUBLE, TOTAL, EXPLANATION)

# Short enough that a test does not wait, long enough for a machine that does much else.
LIMITS = Limits(memory=208 * 2**20, processes=8, load=4.0, submission=60.0, poll=0.05)


def notebook(*cells: str) -> str:
    """Return a notebook's file with these code cells."""
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": [
                {"cell_type": "code", "source": cell, "metadata": {}, "outputs": []}
                for cell in cells
            ],
        }
    )


def hand_in(folder: Path, *cells: str) -> Path:
    """Make the folder of a submission with these cells; return it."""
    folder.mkdir(parents=True)
    (folder / LAB).write_text(notebook(*cells), encoding="utf-8")
    return folder


def grade(
    path: Path,
    names: Sequence[str] | None = None,
    *,
    seed: int | None = None,
    limits: Limits = LIMITS,
    catalogue: Any = CATALOGUE,
) -> Report:
    """Grade one submission as one's own, in a plain process."""
    submission = find(path, catalogue=catalogue)
    with Grader(limits=limits, catalogue=catalogue, isolation="none") as grader:
        return grader.grade(submission, seed, names)
