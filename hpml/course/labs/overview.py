"""Progress and calibration over the whole course, for one student or a class."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hpml.base import style
from hpml.base.charts import Dot, dots, show
from hpml.base.page import Page, say
from hpml.base.tables import Table, readable
from hpml.course.labs.catalogue import LABS, choice, exercises, paths
from hpml.course.labs.questions import AFTER, BEFORE, questions
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.execute import labs
from hpml.course.lesson.exercises.exercise import Choice, Exercise
from hpml.course.lesson.lab_file import read_labs
from hpml.course.lesson.predictions import state, store
from hpml.course.lesson.predictions.calibration import kept_entry
from hpml.course.lesson.progress import FILE


def progress() -> Table:
    """Return a table of the labs: whether each was run, how many checks passed, points so far.

    Points that a check once found are kept. Grading uses other cases and adds the points for speed.

    >>> progress().columns
    ('lab', 'paths', 'run', 'passed', 'points')
    """
    kept = FILE.labs()
    rows, earned, worth = [], 0.0, 0.0
    for path in labs():
        number = path.stem[:2]
        items: list[Exercise | Choice] = []
        if number in LABS:
            items = [*exercises(number), choice(number)]
        done = kept.get(number, {})
        # A bonus exercise has no share of full marks.
        entries = [(item.points > 0, done.get(item.name, {})) for item in items]
        points = sum(entry.get("points", 0) for counts, entry in entries if counts)
        bonus = sum(entry.get("points", 0) for counts, entry in entries if not counts)
        passed = sum(bool(entry.get("passed")) for _, entry in entries)
        total = sum(item.points for item in items)
        more = f" + {bonus:g}" if bonus else ""
        run = "to its end" if "finished" in done else "begun" if "opened" in done else "–"
        name = path.stem.replace("_", " ")
        on = ", ".join(str(n) for n, path in enumerate(paths().values(), 1) if number in path)
        rows.append([name, on, run, f"{passed} of {len(items)}", f"{points:g}{more} of {total:g}"])
        earned, worth = earned + points + bonus, worth + total
    caption = (
        f"{earned:g} of {worth:g} points so far, by your checks. Grading uses other cases and "
        f"adds the points for speed. Kept in {FILE.path.name}, beside your predictions. "
        f"Paths: {', '.join(f'{n} {name}' for n, name in enumerate(paths(), 1))}."
    )
    align = ["left", "left", "left", "right", "right"]
    return Table(["lab", "paths", "run", "passed", "points"], rows, caption=caption, align=align)


def misses() -> dict[str, list[float]]:
    """Return by lab the factor between each predicted number and its measurement."""
    return _missed({lab: store.answers(lab) for lab in LABS})


def _missed(answers: Mapping[str, Mapping[str, Any]]) -> dict[str, list[float]]:
    found = {}
    for lab in LABS:
        entries = [kept_entry(key, kept) for key, kept in answers.get(lab, {}).items()]
        factors = [state.factor(entry) for entry in entries if not entry.late]
        found[lab] = [factor for factor in factors if factor is not None]
    return {lab: factors for lab, factors in found.items() if factors}


def course_table() -> Table:
    """Return for each lab the number of predictions and the median factor of their errors."""
    return _table_of(misses())


def _table_of(missed: Mapping[str, list[float]]) -> Table:
    rows = [
        [lab, len(factors), sum(factor <= 2 for factor in factors), statistics.median(factors)]
        for lab, factors in missed.items()
    ]
    columns = ["lab", "numbers predicted", "within a factor of 2", "median factor"]
    caption = "Predictions that were locked before the measurement."
    return Table(columns, rows, caption=caption, formats={"median factor": readable})


def course_calibration() -> Page:
    """Draw the factor between each prediction of the course and its measurement, lab by lab."""
    rows, missed = [], misses()
    for lab, factors in missed.items():
        rows.append(Dot(f"lab {lab}", factors))
        rows.append(Dot(f"lab {lab}", statistics.median(factors), "", None, style.ACCENT, "|"))
    if not rows:
        return say("No prediction has been compared with a measurement yet.")
    table = _table_of(missed)
    x = "factor between prediction and measurement (dashed: 2)"
    chart = dots(rows, title="Each prediction of the course", x=x, log="x", at=(2,))
    page = show(chart, caption="A point is a prediction, a line the median of its lab.",
                text=str(table))  # fmt: skip
    return Page(page.plain, page.html + table._repr_html_(), page.png)


def class_tables(folder: Path) -> list[Table]:
    """Return a class's predictions by lab, and its ten questions before and after the course.

    It reads all ``*predictions.json`` and ``*progress.json`` files below `folder`. They are not
    signed, so they must not be graded.
    """
    missed: dict[str, list[float]] = {lab: [] for lab in LABS}
    letters: dict[str, list[str]] = {BEFORE: [], AFTER: []}
    unreadable = []
    for path in sorted(folder.rglob("*.json")):
        try:
            if path.name.endswith("predictions.json"):
                for lab, factors in _missed(read_labs(path)).items():
                    missed[lab] += factors
            elif path.name.endswith("progress.json"):
                labs = read_labs(path)
                for when, given in letters.items():
                    found = labs.get(when, {}).get("questions")
                    given += [found] if isinstance(found, str) and found[9:] else []
        except (OSError, ValueError, TypeError, RecursionError, LabError):
            unreadable.append(str(path.relative_to(folder)))
    rows = [
        [each.text, each.lab, *(_share(found, place, each.right) for found in letters.values())]
        for place, each in enumerate(questions())
    ]
    columns = ["question", "see lab", "right before", "right after"]
    caption = "The ten questions of labs 00 and 15."
    if unreadable:
        caption += f" Not readable: {', '.join(unreadable)}."
    predictions = _table_of({lab: factors for lab, factors in missed.items() if factors})
    return [predictions, Table(columns, rows, caption=caption)]


def _share(answers: Sequence[str], place: int, right: str) -> str:
    return f"{sum(given[place] == right for given in answers)} of {len(answers)}"
