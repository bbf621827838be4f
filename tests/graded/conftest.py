"""``pytest tests/graded``: the exercises of the notebooks, graded, a test an exercise.

``--submission=PATH`` grades another notebook or folder, ``--seed S`` with cases made before. A lab
is chosen with ``-m lab06``, an exercise with ``-m ordered_forward``. ``--lab 06`` also finds a
notebook whose name does not say the lab.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hpml.course.files import course_folder
from hpml.course.grading import GradingError
from hpml.course.grading.find import Submission, find, lab_number
from hpml.course.grading.grader import Grader
from hpml.course.labs import catalogue

_SUBMISSION = pytest.StashKey[Submission]()
_SEED = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    for lab in catalogue.LABS:
        config.addinivalue_line("markers", f"lab{lab}: the exercises of lab {lab}")
        for exercise in catalogue.exercises(lab):
            config.addinivalue_line("markers", f"{exercise.name}: exercise of lab {lab}")
    config.addinivalue_line("markers", "explanation: the experiment that ends a lab")
    path, lab = config.getoption("--submission"), config.getoption("--lab")
    try:
        folder = Path(path) if path else course_folder() / "notebooks"
        config.stash[_SUBMISSION] = find(folder, lab=lab_number(lab) if lab else None)
    except GradingError as error:
        raise pytest.UsageError(str(error)) from None
    chosen = config.getoption("--seed")
    # Of xdist, each worker takes the seed that the first process drew.
    given: Any = getattr(config, "workerinput", {}).get("hpml_seed")
    if given is None:
        given = secrets.randbelow(2**31) if chosen is None else chosen
    config.stash[_SEED] = given


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["hpml_seed"] = node.config.stash[_SEED]


def pytest_report_header(config: pytest.Config) -> str:
    submission, seed = config.stash[_SUBMISSION], config.stash[_SEED]
    return f"grading {submission.name} with seed {seed} (the same again: --seed {seed})"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "graded" not in metafunc.fixturenames:
        return
    parameters = []
    for lab in metafunc.config.stash[_SUBMISSION].labs:
        for entry in (*catalogue.exercises(lab), catalogue.choice(lab)):
            marks = (getattr(pytest.mark, f"lab{lab}"), getattr(pytest.mark, entry.name))
            title = f"{lab}.{entry.number} {entry.name}"
            parameters.append(pytest.param((lab, entry.name), id=title, marks=marks))
    metafunc.parametrize("graded", parameters, indirect=True)


@pytest.fixture(scope="session")
def grader(request: pytest.FixtureRequest) -> Iterator[Grader]:
    # What was named is another's; the notebooks of this course are one's own.
    others = request.config.getoption("--submission")
    with Grader(isolation="bubblewrap" if others else "none") as grader:
        yield grader


@pytest.fixture
def graded(request: pytest.FixtureRequest, grader: Grader) -> Any:
    """Return the graded exercise that the parameter names, and the seed."""
    lab, name = request.param
    whole = request.config.stash[_SUBMISSION]
    one = replace(whole, notebooks={lab: whole.notebooks[lab]})
    seed = request.config.stash[_SEED]
    (item,) = grader.grade(one, seed, [name]).items
    return item, seed
