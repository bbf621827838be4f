"""The student's way through the course on one page: labs run, exercises passed, points so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpml.base.tables import Table
from hpml.course.execute import labs
from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.progress import FILE
from hpml.labs.catalogue import LABS, choice, exercises


def progress() -> Table:
    """Return a table of the labs: whether each was run, what passed its check, points so far.

    Points count as soon as a check finds them, and stay. A grade is counted on other cases, and
    with the points for speed.

    >>> progress().columns
    ('lab', 'run', 'passed', 'points')
    """
    kept = FILE.labs()
    rows, earned, worth = [], 0.0, 0.0
    for path in labs():
        number = path.stem[:2]
        items: list[Exercise | Choice] = []
        if number in LABS:
            items = [*exercises(number), choice(number)]
        done = kept.get(number, {})
        points = sum(_points(done, item) for item in items if _counts(item))
        whole = sum(item.points for item in items)
        bonus = sum(_points(done, item) for item in items if not _counts(item))
        passed = sum(bool(_entry(done, item).get("passed")) for item in items)
        more = f" + {bonus:g}" if bonus else ""
        run = "to its end" if "finished" in done else "begun" if "opened" in done else "–"
        name = path.stem.replace("_", " ")
        rows.append([name, run, f"{passed} of {len(items)}", f"{points:g}{more} of {whole:g}"])
        earned, worth = earned + points + bonus, worth + whole
    caption = (
        f"{earned:g} of {worth:g} points so far, by your checks. Grading uses other cases and "
        f"adds the points for speed. Kept in {FILE.path.name}, beside your predictions."
    )
    align = ["left", "left", "right", "right"]
    return Table(["lab", "run", "passed", "points"], rows, caption=caption, align=align)


def _counts(item: Exercise | Choice) -> bool:
    """Return whether its points are part of full marks."""
    return isinstance(item, Choice) or item.core


def _entry(done: Mapping[str, Any], item: Exercise | Choice) -> Mapping[str, Any]:
    found = done.get(item.name)
    return found if isinstance(found, dict) else {}


def _points(done: Mapping[str, Any], item: Exercise | Choice) -> float:
    return float(_entry(done, item).get("points", 0))
