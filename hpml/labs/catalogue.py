"""Which exercises there are, by lab and by the name of the function; a lab is imported when asked.

>>> [exercise.name for exercise in exercises("05")]
['topological_order', 'dead_nodes', 'propagate_shapes']
>>> find("topological_order").lab
'05'
"""

from __future__ import annotations

import difflib
import importlib
import re
from pathlib import Path
from types import ModuleType

from hpml.base.errors import describe
from hpml.course.errors import LabError
from hpml.course.exercises.exercise import Choice, Exercise

__all__ = ["LABS", "choice", "exercises", "find"]

LABS: tuple[str, ...] = tuple(
    sorted(
        path.stem.removeprefix("lab_")
        for path in Path(__file__).parent.iterdir()  # lab_05.py, or a folder lab_02
        if re.fullmatch(r"lab_\d\d(\.py)?", path.name)
    )
)
"""The labs that have exercises: ``("00", "05", ...)``."""


def exercises(lab: str) -> tuple[Exercise, ...]:
    """Return the exercises of one lab, in the order of the notebook.

    Raises:
        LabError: if the lab has none.
    """
    found: tuple[Exercise, ...] = _module(lab).EXERCISES
    return found


def choice(lab: str) -> Choice:
    """Return the explanation item that ends a lab.

    Raises:
        LabError: if the lab has no exercises.
    """
    found: Choice = _module(lab).EXPLANATION_ITEM
    return found


def find(name: str, lab: str | None = None) -> Exercise:
    """Return the exercise whose function is called `name`.

    Args:
        name: the function's name.
        lab: the lab it stands in; any if None.

    Raises:
        LabError: if there is none; the message names those that are spelled alike.

    >>> find("toplogical_order")
    Traceback (most recent call last):
    hpml.course.errors.LabError: There is no exercise called 'toplogical_order'. Did you mean ...
    """
    known = [each for number in (LABS if lab is None else (lab,)) for each in exercises(number)]
    for exercise in known:
        if exercise.name == name:
            return exercise
    names = [exercise.name for exercise in known]
    near = difflib.get_close_matches(str(name)[:100], names, n=3, cutoff=0.6)
    where = "" if lab is None else f" in lab {lab}"
    there = (
        f"Did you mean {' or '.join(near)}? A check finds it by the name after `def`."
        if near
        else f"There are: {', '.join(names) or 'none'}."
    )
    raise LabError(f"There is no exercise called {describe(name)}{where}. {there}")


def _module(lab: str) -> ModuleType:
    if lab not in LABS:
        raise LabError(
            f"Lab {describe(lab)} has no exercises; expected one of {', '.join(LABS) or 'none'}."
        )
    return importlib.import_module(f"hpml.course.exercises.lab_{lab}")
