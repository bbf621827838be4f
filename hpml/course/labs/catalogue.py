"""The catalogue of labs and exercises, found by folder and imported on use.

A lab is a folder ``hpml/course/labs/lab_NN_name`` with a module ``exercises`` and a file
``texts.toml``, which contains the texts of its hints and its explanation.

>>> [exercise.name for exercise in exercises("05")]
['topological_order', 'dead_nodes', 'propagate_shapes']
>>> find("topological_order").lab
'05'
"""

from __future__ import annotations

import difflib
import importlib
import random
from dataclasses import replace

from hpml.base.errors import describe
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.exercises.exercise import Choice, Exercise
from hpml.course.lesson.explanation import Explanation
from hpml.course.lesson.texts import LABS, folder, texts

__all__ = ["EDITION", "LABS", "choice", "exercises", "explanation", "find", "paths", "texts"]

EDITION = ""
"""A word such as ``"2027"`` that seeds the order of each explanation's experiments."""


def exercises(lab: str) -> tuple[Exercise, ...]:
    """Return the exercises of a lab, in the order of its notebook."""
    place, hints = folder(lab), texts(lab).get("hints", {})
    part = importlib.import_module(f"hpml.course.labs.{place.name}.exercises")
    return tuple(
        replace(
            each,
            lab=lab,
            number=number,
            wrong_answers=place / "wrong_answers" / f"{each.name}.py",
            hints={name: tuple(given) for name, given in hints.get(each.name, {}).items()},
        )
        for number, each in enumerate(part.EXERCISES, start=1)
    )


def choice(lab: str) -> Choice:
    """Return the graded item of a lab's explanation, numbered after the last exercise."""
    end = explanation(lab)
    return Choice(lab, len(exercises(lab)) + 1, end.best_number, len(end.experiments))


def explanation(lab: str) -> Explanation:
    """Return the explanation that ends a lab."""
    words = texts(lab)["explanation"]
    experiments = [(each["do"], each["shows"]) for each in words["experiments"]]
    best, _ = experiments[words["best"] - 1]
    if EDITION:
        random.Random(f"{EDITION} {lab}").shuffle(experiments)
    return Explanation(words["question"], tuple(words["claims"]), dict(experiments), best)


def paths() -> dict[str, tuple[str, ...]]:
    """Return the labs of each path through the course, by its name.

    >>> list(paths())
    ['How Python runs a network', 'Making models faster']
    """
    names = dict.fromkeys(name for lab in LABS for name in texts(lab)["paths"])
    return {name: tuple(lab for lab in LABS if name in texts(lab)["paths"]) for name in names}


def find(name: str, lab: str | None = None) -> Exercise:
    """Return the exercise whose function has this name.

    >>> find("toplogical_order")
    Traceback (most recent call last):
    hpml.course.lesson.errors.LabError: There is no exercise called 'toplogical_order'. ...
    """
    known = [each for number in (LABS if lab is None else (lab,)) for each in exercises(number)]
    for exercise in known:
        if exercise.name == name:
            return exercise
    names = [exercise.name for exercise in known]
    near = difflib.get_close_matches(str(name)[:100], names, n=3, cutoff=0.6)
    where = "" if lab is None else f" in lab {lab}"
    if name == "<lambda>":
        raise LabError(
            "A check finds an exercise by the name after `def`; a lambda has none.",
            object="exercise",
            expected="a function with the name of an exercise",
            received="a lambda",
            remedy="Write the function with `def`.",
        )
    advice = (
        f"Did you mean {' or '.join(near)}? A check finds it by the name after `def`."
        if near
        else "Use the name in the exercise's title."
    )
    raise LabError(
        f"There is no exercise called {describe(name)}{where}.",
        object="exercise",
        expected=f"the name of an exercise{where}",
        received=describe(name),
        remedy=advice,
    )
