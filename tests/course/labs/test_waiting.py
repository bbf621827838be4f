"""A check takes less than five seconds, so that nobody waits for it.

Processor time is counted, with that of the processes in which known wrong answers run: other
programs hardly change it, unlike the seconds on a clock. Right answers are checked, and the known
wrong answers of labs in which they are compiled; ``HPML_LONG=1``: of all labs. An endless loop is
left out: its check waits for the deadline.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hpml.base.child_process import with_package
from hpml.course.labs.catalogue import LABS, exercises
from hpml.course.lesson.exercises.wrong_answers import wrong_answers

SOLUTIONS = Path(__file__).parents[2] / "solutions"
MOST = 5.0
PROGRAM = """
import json, os, sys
from hpml.course.labs.catalogue import find
from hpml.course.lesson.exercises.check import check_exercise

found = []
for name, key, source in json.load(sys.stdin):
    names = {"__name__": "submission"}
    exec(compile(source, "<submission>", "exec", dont_inherit=True), names)
    before = sum(os.times()[:4])
    checked = check_exercise(find(name), names[key])
    endless = "It took more than" in checked.text
    found.append((checked.right, 0 if endless else sum(os.times()[:4]) - before))
print(json.dumps(found))
"""


WITH_EXERCISES = [lab for lab in LABS if exercises(lab)]


def _checked(answers: list[tuple[str, str, str]]) -> list[tuple[bool, float]]:
    """Return whether each answer is right, and the seconds of its check, in one new process."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(answers),
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
        env=with_package(),
    )
    found: list[tuple[bool, float]] = json.loads(ran.stdout.splitlines()[-1])
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("lab", WITH_EXERCISES)
def test_a_check_of_each_right_answer_takes_less_than_five_seconds(lab: str) -> None:
    answers = [
        (each.name, each.name, path.read_text(encoding="utf-8"))
        for each in exercises(lab)
        for path in sorted((SOLUTIONS / f"lab_{lab}" / each.name).glob("right*.py"))
    ]
    found = _checked(answers)
    assert all(right for right, _ in found)
    slow = {
        key: seconds
        for (_, key, _), (_, seconds) in zip(answers, found, strict=True)
        if seconds >= MOST
    }
    assert slow == {}


@pytest.mark.thorough
@pytest.mark.parametrize("lab", WITH_EXERCISES if os.environ.get("HPML_LONG") else ["04", "08"])
def test_a_check_of_each_known_wrong_answer_takes_less_than_five_seconds(lab: str) -> None:
    answers = [
        (each.name, wrong.key, wrong.source)
        for each in exercises(lab)
        for wrong in wrong_answers(each)
    ]
    found = _checked(answers)
    assert not any(right for right, _ in found)
    slow = {
        key: seconds
        for (_, key, _), (_, seconds) in zip(answers, found, strict=True)
        if seconds >= MOST
    }
    assert slow == {}
