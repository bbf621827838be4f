"""Step 2: what the records say about each section, exercise, wrong answer and prediction of a lab.

A student's record has the first time of each step. The time between two steps counts for the
section, or the exercise, of the later one: the student worked towards it. A longer pause than
`BREAK` counts for neither.
"""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hpml.course.labs.catalogue import LABS, choice, exercises
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.exercises.exercise import Exercise
from hpml.course.lesson.exercises.wrong_answers import wrong_answers
from hpml.course.lesson.predictions import state
from hpml.course.observed.records import Record, moment
from hpml.course.release.reading import length_of, predictions, sections_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

BREAK = 20.0  # minutes
LEAST = 10.0  # minutes: a lab that took less was run through, not worked through


@dataclass(frozen=True)
class Figure:
    """One value for each student, with the author's estimate if there is one."""

    lab: str
    kind: str  # "section", "exercise", "first check right", "checks", "wrong answer", ...
    name: str
    unit: str  # "min", "checks", "× off"; of a share "%"
    values: tuple[float, ...]
    estimate: float | None = None  # of the core; for an exercise what its declaration says
    further: float | None = None  # of what is marked going further

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The 25th percentile, the median and the 75th; of a share three times the share."""
        if self.unit == "%":
            share = statistics.fmean(self.values)
            return share, share, share
        if len(self.values) == 1:
            return (self.values[0],) * 3
        low, middle, high = statistics.quantiles(self.values, n=4, method="inclusive")
        return low, middle, high


@dataclass(frozen=True)
class Section:
    """A section of a lab: its heading, and the estimates of its core and of going further."""

    heading: str
    core: float
    further: float


def figures(students: Sequence[Record]) -> list[Figure]:
    """Return the figures of a class, lab by lab; what nobody did has none.

    >>> figures([])
    []
    """
    return [each for lab in LABS for each in _of_lab(lab, students) if each.values]


def _of_lab(lab: str, students: Sequence[Record]) -> Iterator[Figure]:
    import nbformat

    done = [each.progress.get(lab, {}) for each in students]
    if not any(done) and not any(each.predictions.get(lab) for each in students):
        return
    notebook = nbformat.read(find_lab(lab), as_version=4)  # type: ignore[no-untyped-call]
    sections, place_of = places(notebook)
    spent_in = [minutes(steps(kept), place_of) for kept in done]
    at_work = [
        (kept, spent)
        for kept, spent in zip(done, spent_in, strict=True)
        if sum(spent.values()) >= LEAST
    ]
    worked = [spent for kept, spent in at_work if "finished" in kept]
    totals = tuple(sum(spent.values()) for spent in worked)
    length = length_of(notebook)
    yield Figure(
        lab, "lab", "all of it", "min", totals, length.core.minutes, length.further.minutes
    )
    for place, section in sections.items():
        values = tuple(spent[place] for spent in worked if place in spent)
        yield Figure(lab, "section", section.heading, "min", values, section.core, section.further)
    for exercise in exercises(lab):
        yield from _of_exercise(lab, exercise, done, [kept for kept, _ in at_work])
    item = choice(lab)
    chosen = [kept[item.name] for kept in done if isinstance(kept.get(item.name), Mapping)]
    right = tuple(100.0 * bool(each.get("points")) for each in chosen)
    yield Figure(lab, "first check right", item.name, "%", right)
    yield from _of_predictions(lab, notebook, students)


def _of_exercise(
    lab: str,
    exercise: Exercise,
    done: Sequence[Mapping[str, Any]],
    at_work: Sequence[Mapping[str, Any]],
) -> Iterator[Figure]:
    name = exercise.name
    own = f"checked {name}"
    tried = [checks for kept in done if (checks := checks_of(kept, name))]
    solved = [
        spent[own]
        for kept in at_work
        if any(check["right"] for check in checks_of(kept, name))
        and own in (spent := minutes(steps(kept, until_right=name), {}, by_step=True))
    ]
    yield Figure(lab, "exercise", name, "min", tuple(solved), exercise.minutes)
    first = tuple(100.0 * checks[0]["right"] for checks in tried)
    yield Figure(lab, "first check right", name, "%", first)
    until = tuple(
        1.0 + next(place for place, check in enumerate(checks) if check["right"])
        for checks in tried
        if any(check["right"] for check in checks)
    )
    yield Figure(lab, "checks", name, "checks", until)
    for wrong in wrong_answers(exercise):
        met = tuple(
            100.0 * any(check["wrong_answer"] == wrong.key for check in checks) for checks in tried
        )
        yield Figure(lab, "wrong answer", f"{name}: {wrong.key}", "%", met)


def _of_predictions(
    lab: str, notebook: NotebookNode, students: Sequence[Record]
) -> Iterator[Figure]:
    asked = {each["key"]: each["question"] for each in predictions(notebook.cells)}
    entries = [entry for each in students for entry in each.predictions.get(lab, ())]
    for key, question in asked.items():
        own = [entry for entry in entries if entry.key == key and not entry.late]
        factors = [factor for entry in own if (factor := state.factor(entry)) is not None]
        yield Figure(lab, "prediction", question, "× off", tuple(factors))
        right = [100.0 * right for entry in own if (right := state.right(entry)) is not None]
        yield Figure(lab, "prediction right", question, "%", tuple(right))


def checks_of(kept: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the checks of an exercise in a record, in their order; others than checks are left."""
    exercise = kept.get(name)
    checks = exercise.get("checks") if isinstance(exercise, Mapping) else None
    found = []
    for check in checks if isinstance(checks, list) else []:
        at = moment(check.get("at")) if isinstance(check, dict) else None
        if at is not None and isinstance(check.get("right"), bool):
            found.append(
                {"at": at, "right": check["right"], "wrong_answer": check.get("wrong_answer")}
            )
    return found


def steps(kept: Mapping[str, Any], *, until_right: str = "") -> list[tuple[float, str]]:
    """Return the steps in a lab's record by time; of one exercise only those until it was right."""
    times = kept.get("times")
    named = dict(times) if isinstance(times, Mapping) else {}
    named |= {step: kept.get(step) for step in ("opened", "finished")}
    end = kept.get("explanation")
    named["explained"] = end.get("at") if isinstance(end, Mapping) else None
    found = [(at, str(step)) for step, text in named.items() if (at := moment(text)) is not None]
    for name in kept:
        for check in checks_of(kept, name):
            found.append((check["at"], f"checked {name}"))
            if name == until_right and check["right"]:
                break
    return sorted(found)


def minutes(
    done: Sequence[tuple[float, str]], place_of: Mapping[str, int], *, by_step: bool = False
) -> dict[Any, float]:
    """Return the minutes before each step, without breaks, by its section or by its name.

    >>> done = [(0, "opened"), (300, "asked a"), (360, "shown a"), (4000, "checked f")]
    >>> minutes(done, {"asked a": 1, "shown a": 1, "checked f": 2})
    {1: 6.0}
    """
    spent: dict[Any, float] = {}
    for (before, _), (at, step) in pairwise(done):
        place = step if by_step else place_of.get(step)
        gap = (at - before) / 60
        if place is not None and gap <= BREAK:
            spent[place] = spent.get(place, 0.0) + gap
    return spent


def places(notebook: NotebookNode) -> tuple[dict[int, Section], dict[str, int]]:
    """Return the sections of a lab that have steps, and the section of each step.

    The estimate of a section without steps counts for the next one with steps.
    """
    sections, place_of = {}, {"opened": 0}
    core = further = 0.0
    keys: dict[str, str] = {}
    for place, (heading, part) in enumerate(sections_of(notebook)):
        length = length_of(part)
        core, further = core + length.core.minutes, further + length.further.minutes
        own = [*_steps_in(part.cells, keys)]
        place_of |= {step: place for step in own if step not in place_of}
        if own:
            sections[place] = Section(heading, core, further)
            core = further = 0.0
    return sections, place_of


def _steps_in(cells: Iterable[NotebookNode], keys: dict[str, str]) -> Iterator[str]:
    """Yield the steps that running some cells leaves in a record; `keys` are those of names.

    A prediction may be an entry of a dictionary, which a loop reveals.
    """
    for cell in cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Assign) and _called(node.value) == "predict":
                keys[ast.unparse(node.targets[0])] = _key(node.value)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                for name, value in zip(node.value.keys, node.value.values, strict=True):
                    if name is not None and _called(value) == "predict":
                        keys[f"{ast.unparse(node.targets[0])}[{ast.unparse(name)}]"] = _key(value)
            if isinstance(node, ast.For):
                yield from _revealed_by(node, keys)
            called = _called(node)
            if called == "predict":
                yield from (f"asked {_key(node)}", f"answered {_key(node)}")
            elif called == "check":
                yield f"checked {ast.unparse(node.args[0])}"  # type: ignore[attr-defined]
            elif called in ("explain", "calibration"):
                yield {"explain": "explained", "calibration": "finished"}[called]
            elif called.endswith(".reveal") and (key := keys.get(called.removesuffix(".reveal"))):
                yield f"shown {key}"


def _revealed_by(loop: ast.For, keys: Mapping[str, str]) -> Iterator[str]:
    """Yield the steps of a loop over a dictionary of predictions that reveals each of them."""
    variables = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
    shown = {
        _called(node).removesuffix(".reveal")
        for part in loop.body
        for node in ast.walk(part)
        if _called(node).endswith(".reveal")
    }
    if variables & shown:
        over = {each.id for each in ast.walk(loop.iter) if isinstance(each, ast.Name)}
        yield from (
            f"shown {key}"
            for name, key in keys.items()
            if name.partition("[")[0] in over and "[" in name
        )


def _called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _key(call: ast.AST) -> str:
    assert isinstance(call, ast.Call)
    given = {each.arg: each.value for each in call.keywords}
    return str(ast.literal_eval(given["key"]))
