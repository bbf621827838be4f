"""Made-up records of students, as their results folders have them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime.fromisoformat("2026-10-05T09:00:00+02:00")
WRONG = "the_example"  # a known wrong answer to `hello`


def at(minutes: float) -> str:
    """Return the time this many minutes after the start, as a record has it."""
    return (START + timedelta(minutes=minutes)).isoformat(timespec="seconds")


def check(minutes: float, *, right: bool, wrong_answer: str | None = None) -> dict[str, Any]:
    return {"at": at(minutes), "right": right, "wrong_answer": wrong_answer}


def lab_00(pace: float, *checks: dict[str, Any], points: float = 1) -> dict[str, Any]:
    """Return lab 00 of a student: 5 paces up to section 1's result, 3 more up to section 2's."""
    done: dict[str, Any] = {
        "opened": at(0),
        "times": {
            "asked numpy_sum": at(2 * pace),
            "answered numpy_sum": at(3 * pace),
            "shown numpy_sum": at(5 * pace),
            "asked empty_call": at(6 * pace),
            "shown empty_call": at(8 * pace),
        },
        "explanation": {"points": points, "passed": None, "choice": 1, "at": at(9 * pace)},
        "finished": at(10 * pace),
    }
    if checks:
        passed = next((each["at"] for each in checks if each["right"]), None)
        done["hello"] = {"points": 0, "passed": passed, "checks": list(checks)}
    return done


def guess(answer: float, measured: float, *, late: bool = False) -> dict[str, Any]:
    question = "Adding up 100,000 numbers: how many times as fast as the Python loop is NumPy?"
    return {"question": question, "unit": "×", "answer": answer, "measured": measured, "late": late}


def hand_in(
    folder: Path, progress: dict[str, Any] | None, predictions: dict[str, Any] | None = None
) -> Path:
    """Write a student's files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, labs in {"progress": progress, "predictions": predictions}.items():
        if labs is not None:
            text = json.dumps({"version": 1, "labs": labs})
            (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder
