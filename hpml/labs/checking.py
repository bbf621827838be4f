"""`check`, `hint` and `explain`: what a student types; they find the open lab's own."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page, notebook_shell, put
from hpml.course.errors import LabError
from hpml.course.exercises.check import Checked, check_exercise, next_hint, not_found
from hpml.course.exercises.exercise import Exercise
from hpml.course.predictions.prediction import current_lab
from hpml.course.progress import keep_first, keep_points
from hpml.labs import catalogue
from hpml.labs.catalogue import LABS, exercises, explanation, find
from hpml.labs.kept import keep_passed


def check(function: Callable[..., Any]) -> Checked:
    """Try a function on the visible cases of its exercise, and show what came of it.

    The exercise is found by the function's name. It shows right, not done yet, or the smallest case
    that fails with what was expected and what came; from the second failure on, how to ask for a
    hint. It never raises for what the function does; a case that takes too long, or that is stopped
    like any cell, gets a verdict on what passed before. Of what the function prints, the first
    2,000 characters are shown.

    Args:
        function: the function, under the name that the exercise gave it.

    Returns:
        The verdict.

    >>> def dead_nodes(edges, outputs):
    ...     return set()
    >>> checked = check(dead_nodes)  # doctest: +ELLIPSIS
    ✗ dead_nodes: not right yet, ... cases fail.
      case      only a target
      call      dead_nodes(edges={'x': ['y', 'z']}, outputs=['y'])
      expected  {'z'}
      got       set()
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
        # A part may have no visible case: what passed all of them has all points so far.
        parts = exercise.parts if checked.right else checked.verdict.parts
        keep_points(exercise.lab, exercise.name, sum(parts.values()), passed=checked.right)
        if checked.right:
            keep_passed(function, exercise.name)
    return checked


def hint(function: Callable[..., Any]) -> Page:
    """Return the next hint for an exercise, to end a cell with; each call gives one more.

    Args:
        function: the function, under the name that the exercise gave it.

    Raises:
        LabError: if there is no such exercise.

    >>> def hello(name):
    ...     return name
    >>> hint(hello)
    Hint 1 of 3: A function hands its result back with return.
    """
    return next_hint(_exercise(function))


def explain(choice: int | None) -> Page:
    """Return the closing explanation of the open lab, to end a cell with.

    Args:
        choice: the number of the experiment that is chosen, from 1; None before the choice.

    Returns:
        The question with its hypotheses and numbered experiments, and what to do. Once an
        experiment is chosen, whether it tells the hypotheses apart, and what each would show. The
        first choice counts.

    Raises:
        LabError: if the open lab has no explanation.

    >>> from hpml.labs import lab_head
    >>> _ = lab_head("try-explain", "Trying things out")
    >>> explain(None)
    Traceback (most recent call last):
    hpml.course.errors.LabError: There is no explanation for lab 'try-explain'; ...
    """
    lab = current_lab().name
    if lab not in LABS:
        raise LabError(
            f"There is no explanation for lab {describe(lab)}; expected one of {', '.join(LABS)}. "
            "Did the lab's first cell, lab_head(...), run?"
        )
    item = catalogue.choice(lab)
    written = _notebook().get(item.name, choice)
    if choice != written:
        raise LabError(
            f"`{item.name}` is {describe(written)}, and explain got {describe(choice)}. Grading "
            f"reads the number that the cell assigns: {item.name} = {describe(choice)}."
        )
    shown, first = explanation(lab), choice
    if type(choice) is int and 1 <= choice <= item.experiments:
        first = keep_first(lab, item.name, choice, item.points if choice == item.best else 0)
    return shown.page(first, choice)


def _exercise(function: object) -> Exercise:
    if isinstance(function, str):
        raise LabError(f"check expects the function itself: check({function[:40]}), no quotes.")
    if not callable(function):
        raise LabError(f"check expects the function that you wrote, got {describe(function)}.")
    here = current_lab().name
    known = exercises(here) if here in LABS else ()
    # The grader knows a lambda, a partial or an imported function by the name it was assigned to.
    own = {**getattr(inspect.unwrap(function), "__globals__", {}), **_notebook()}
    name = getattr(function, "__name__", None)
    names = [name, *(each.name for each in known if own.get(each.name) is function)]
    for exercise in known:
        if exercise.name in names:
            return exercise
    return find(name if isinstance(name, str) else type(function).__name__)


def _notebook() -> dict[str, Any]:
    """Return the names of the notebook; none outside of one."""
    return dict(getattr(notebook_shell(), "user_ns", {}))
