"""Progress and calibration over the whole course, for one student."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

from hpml.base import style
from hpml.base.charts import Dot, dots, show
from hpml.base.page import Page, say
from hpml.base.tables import Table, readable
from hpml.course.labs.catalogue import LABS, choice, exercises, paths
from hpml.course.lesson.execute import labs
from hpml.course.lesson.exercises.exercise import Choice, Exercise
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
    found = {
        lab: misses_of([kept_entry(key, kept) for key, kept in store.answers(lab).items()])
        for lab in LABS
    }
    return {lab: factors for lab, factors in found.items() if factors}


def misses_of(entries: Iterable[state.Entry]) -> list[float]:
    """Return the factor of each prediction that was locked before its measurement."""
    factors = [state.factor(entry) for entry in entries if not entry.late]
    return [factor for factor in factors if factor is not None]


def course_table() -> Table:
    """Return for each lab the number of predictions and the median factor of their errors."""
    return table_of_misses(misses())


def table_of_misses(missed: Mapping[str, list[float]]) -> Table:
    """Return for each lab the number of factors, those within 2, and their median."""
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
    table = table_of_misses(missed)
    x = "factor between prediction and measurement (dashed: 2)"
    chart = dots(rows, title="Each prediction of the course", x=x, log="x", at=(2,))
    page = show(
        chart, caption="A point is a prediction, a line the median of its lab.", text=str(table)
    )
    return Page(page.plain, page.html + table._repr_html_(), page.png)
