"""`check`, `hint` and `explain`, as students call them in a notebook."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page, notebook_shell, put
from hpml.course.labs import catalogue
from hpml.course.labs.catalogue import LABS, exercises, explanation, find
from hpml.course.labs.kept import keep_passed
from hpml.course.lesson.cells import executed_cells
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.exercises.check import Checked, check_exercise, next_hint, not_found
from hpml.course.lesson.exercises.exercise import Exercise
from hpml.course.lesson.predictions.prediction import current_lab
from hpml.course.lesson.progress import keep_check, keep_first
from hpml.course.sandbox.notebook import parse


def check(function: Callable[..., Any]) -> Checked:
    """Try a function on the visible cases of its exercise, and show and return the verdict.

    The exercise is found by the function's name. Exceptions of the function are reported, not
    raised. If a case is interrupted or takes too long, the verdict covers the cases before it.

    >>> def dead_nodes(edges, outputs):
    ...     return set()
    >>> checked = check(dead_nodes)  # doctest: +ELLIPSIS
    ✗ dead_nodes: not right yet, ... cases fail.
      case      only a target
      call      dead_nodes(edges={'x': ['y', 'z']}, outputs=['y'])
      expected  {'z'}
      received  set()
      why       it lacks str 'z'...
    >>> checked.right
    False
    """
    try:
        exercise = _exercise(function)
    except LabError as error:
        checked = not_found(str(error))
    else:
        checked = check_exercise(exercise, function)
    put(checked.page, uuid.uuid4().hex)
    if checked.verdict is not None:
        # A part may have no visible case, so a function that passes all cases gets all points.
        parts = exercise.parts if checked.right else checked.verdict.parts
        if not checked.verdict.not_done:
            known = checked.verdict.diagnosis
            keep_check(
                exercise.lab,
                exercise.name,
                sum(parts.values()),
                passed=checked.right,
                wrong_answer=None if known is None else known.key,
            )
        if checked.right:
            keep_passed(function, exercise.name)
    return checked


def hint(function: Callable[..., Any]) -> Page:
    """Return the next hint for an exercise; each call adds one more.

    Raises LabError if there is no exercise of the function's name.

    >>> def hello(name):
    ...     return name
    >>> hint(hello)
    Hint 1 of 3: A function hands its result back with return.
    """
    return next_hint(_exercise(function))


def explain(choice: int | None) -> Page:
    """Return the explanation that ends the open lab; the first choice counts.

    `choice` is the number of the chosen experiment, from 1; None before the choice. The page has
    the question with its hypotheses and experiments; after a choice, also whether that experiment
    distinguishes the hypotheses, and what each would show. Raises LabError if the open lab has no
    explanation, or if the cell assigned another number.

    >>> from hpml.course import lab_head
    >>> _ = lab_head("try-explain", "Trying things out")
    >>> explain(None)
    Traceback (most recent call last):
    hpml.course.lesson.errors.LabError: There is no explanation for lab 'try-explain'. ...
    """
    lab = current_lab().name
    if lab not in LABS:
        raise LabError(
            f"There is no explanation for lab {describe(lab)}.",
            object="lab",
            expected=f"one of {', '.join(LABS)}",
            received=describe(lab),
            remedy="Run the lab's first cell, lab_head(...).",
        )
    item = catalogue.choice(lab)
    written = _notebook().get(item.name, choice if notebook_shell() is None else None)
    if choice != written:
        raise LabError(
            object="choice of explain",
            expected=f"{describe(written)}, the value of `{item.name}`, which grading reads",
            received=describe(choice),
            remedy=f"Assign the number in the cell: {item.name} = {describe(choice)}.",
        )
    if choice is not None and not _is_read(item.name, choice):
        raise LabError(
            object="choice of explain",
            expected="a number that is written in its cell, which grading reads without running it",
            received=f"another expression for `{item.name}`",
            remedy=f"Write the number: {item.name} = {describe(choice)}.",
        )
    shown, first = explanation(lab), choice
    if type(choice) is int and 1 <= choice <= item.experiments:
        first = keep_first(lab, item.name, choice, item.points if choice == item.best else 0)
    return shown.page(first, choice)


def _exercise(function: object) -> Exercise:
    if isinstance(function, str):
        raise LabError(
            object="function of check",
            expected="the function itself",
            received=describe(function),
            remedy=f"Write check({function[:40]}), without quotes.",
        )
    if not callable(function):
        raise LabError(
            object="function of check",
            expected="the function that you wrote",
            received=describe(function),
            remedy="Run the cell that defines it, and pass it by its name.",
        )
    lab = current_lab().name
    known = exercises(lab) if lab in LABS else ()
    # The grader finds a lambda, a partial or an imported function by the name it was assigned to.
    variables = {**getattr(inspect.unwrap(function), "__globals__", {}), **_notebook()}
    name = getattr(function, "__name__", None)
    names = [name, *(each.name for each in known if variables.get(each.name) is function)]
    for exercise in known:
        if exercise.name in names:
            return exercise
    return find(name if isinstance(name, str) else type(function).__name__)


def _is_read(name: str, choice: object) -> bool:
    """Return whether grading reads this value: the literal that a cell assigned to `name` last."""
    cells = executed_cells(notebook_shell())
    program = parse({number: cell for number, cell in cells.items() if name in cell})
    found = program.literals(name)
    return not found or (type(found[-1]) is type(choice) and found[-1] == choice)


def _notebook() -> dict[str, Any]:
    return dict(getattr(notebook_shell(), "user_ns", {}))
