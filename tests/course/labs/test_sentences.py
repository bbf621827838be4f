"""Each sentence of an exercise's statement has a wrong form, and each wrong form loses points."""

from __future__ import annotations

import ast
import contextlib
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Self

import pytest

from hpml.course.grading.find import find
from hpml.course.grading.grader import Grader
from hpml.course.grading.run import Submitted, cases_of
from hpml.course.grading.sandbox import Limits
from hpml.course.grading.worker_client import Printed, WorkerClient
from hpml.course.labs.catalogue import LABS, choice, exercises
from hpml.course.lesson.exercises.check import run, visible_cases
from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.judging import judge
from hpml.course.lesson.exercises.outcomes import NoAnswer, Outcome, outcome_of
from hpml.course.lesson.exercises.wrong_answers import WrongAnswer
from hpml.course.sandbox.deadline import deadline
from hpml.course.sandbox.forbidden import uses
from hpml.course.sandbox.harness import harness_source
from hpml.course.sandbox.notebook import Program, parse
from hpml.course.sandbox.plain import encode
from tests.course.labs.sentences import (
    Sentences,
    path_of,
    problems,
    read,
    rules,
    sentences,
    statement,
)

pytestmark = pytest.mark.usefixtures("quick_to_collect")

EXERCISES = [each for lab in LABS for each in exercises(lab)]
WRITTEN = [each for each in EXERCISES if path_of(each).is_file()]
SEEDS = range(10)
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.name)
each_written = pytest.mark.parametrize("exercise", WRITTEN, ids=lambda each: each.name)
# Numba compiles each form for each layout, which takes longer than all other exercises together.
COMPILED = ("sum2d", "pairwise_distances")
each_tried = pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(each, id=each.name, marks=[pytest.mark.thorough][: each.name in COMPILED])
        for each in WRITTEN
    ],
)


class _LateError(KeyboardInterrupt):
    """A case took too long; a KeyboardInterrupt, which a form does not catch by accident."""


@cache
def _program(source: str) -> Program:
    return parse({1: source})


@cache
def _namespace(source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "<sentences>", "exec", dont_inherit=True), namespace)
    return namespace


@cache
def _visible(lab: str, name: str) -> Sequence[Case]:
    return visible_cases(next(each for each in exercises(lab) if each.name == name))


def _alone(form: WrongAnswer) -> WrongAnswer:
    """Return a form without the others: a setting of the process counts wherever it is made."""
    tree = ast.parse(form.source)
    tree.body = [
        node
        for node in tree.body
        if not isinstance(node, ast.FunctionDef)
        or node.name.startswith("_")
        or node.name == form.key
    ]
    return replace(form, source=ast.unparse(tree))


def _refused(exercise: Exercise, form: WrongAnswer) -> bool:
    limits = exercise.forbids
    needed = _program(_alone(form).source).needed(form.key)
    return bool(uses(needed, limits.modules, limits.names, limits.calls, limits.inside))


def _outcome(exercise: Exercise, form: WrongAnswer, case: Case) -> Outcome:
    try:
        with deadline(exercise.patience, _LateError()):
            (outcome,) = run(exercise, _namespace(form.source)[form.key], [case])
            return outcome
    except _LateError:
        return NoAnswer("too slow", "")


def _loses(exercise: Exercise, form: WrongAnswer, cases: Sequence[Case]) -> bool:
    """Return whether a case is lost; the others need not be waited for."""
    return any(
        not judge(exercise, [case], [_outcome(exercise, form, case)]).right for case in cases
    )


def _tried(exercise: Exercise) -> Iterator[WrongAnswer]:
    """Yield the forms that are to lose points on cases."""
    for form in read(exercise).forms:
        if not form.key.startswith(("forbidden", "slow")):
            yield form


@each_exercise
def test_each_sentence_has_a_wrong_form_or_a_reason_and_each_form_its_sentence(
    exercise: Exercise,
) -> None:
    assert list(problems(statement(exercise), read(exercise), rules(exercise))) == []


def test_a_sentence_without_an_entry_and_an_entry_without_a_sentence_are_reported() -> None:
    said = sentences("It is one. It is not more than two.\n\n- It returns a list; nothing else.")
    known = Sentences({"It is one.": "an example"}, (WrongAnswer("f", "not more than two", ""),))
    found = list(problems(said, known))
    assert found == ["no wrong form and no reason: 'It returns a list; nothing else.'"]
    twice = Sentences({"It is": ""}, (WrongAnswer("f", "It is all that is", ""),))
    assert len(list(problems(said, twice))) == 2 + len(said)


@each_exercise
def test_what_the_declaration_says_is_printed_from_it_and_not_typed(exercise: Exercise) -> None:
    typed = " ".join(statement(exercise))
    assert re.findall(r"\bimport\w*|\b(?:not|nothing from|neither) use\b|\bin full\b", typed) == []
    names = {"One": 1.0}
    for text in re.findall(r"\b(One|\d+)(?: of the)? points? (?:is )?for\b", typed):
        assert (names.get(text) or float(text)) in exercise.worth.values()
    assert exercise.forbids.why or not (exercise.forbids.modules or exercise.forbids.names)
    said = " ".join(rules(exercise))
    assert exercise.forbids.why in said
    assert f"a call has {exercise.seconds:g} second" in said
    assert exercise.speed is None or exercise.speed.rule in said


@each_written
def test_a_form_is_refused_for_what_it_uses_if_its_name_says_so_and_no_other_is(
    exercise: Exercise,
) -> None:
    forms = read(exercise).forms
    refused = [form.key for form in forms if _refused(exercise, form)]
    assert refused == [form.key for form in forms if form.key.startswith("forbidden")]


@each_tried
def test_each_wrong_form_loses_points_in_the_check(exercise: Exercise) -> None:
    cases = _visible(exercise.lab, exercise.name)
    # The check waits ten seconds for a case; the thorough test of the grader waits for late ones.
    forms = [form for form in _tried(exercise) if not form.key.startswith("late")]
    assert [form.key for form in forms if not _loses(exercise, form, cases)] == []


@each_tried
def test_a_form_that_is_only_slow_is_right_in_the_check(exercise: Exercise) -> None:
    forms = [form for form in read(exercise).forms if form.key.startswith("slow")]
    cases = _visible(exercise.lab, exercise.name)
    assert [form.key for form in forms if _loses(exercise, form, cases)] == []
    assert not forms or exercise.speed is not None


@pytest.mark.thorough
@each_written
def test_each_wrong_form_loses_points_under_ten_seeds(exercise: Exercise) -> None:
    kept = []
    for seed in SEEDS:
        cases = exercise.cases(random.Random(seed), True)
        kept += [(seed, form.key) for form in _tried(exercise) if not _loses(exercise, form, cases)]
    assert kept == []


@pytest.mark.thorough
@pytest.mark.needs("bubblewrap")
@each_written
def test_each_wrong_form_loses_points_in_the_sandbox(exercise: Exercise) -> None:
    with _Sandbox(exercise) as sandbox:
        assert [form.key for form in _tried(exercise) if not sandbox.loses(form)] == []


@pytest.mark.thorough
@pytest.mark.needs("bubblewrap")
@each_written
def test_a_form_that_is_only_slow_loses_points_for_speed(
    exercise: Exercise, tmp_path: Path
) -> None:
    for form in read(exercise).forms:
        if form.key.startswith("slow"):
            path = tmp_path / f"{exercise.lab}_{form.key}.py"
            path.write_text(_alone(form).program(exercise.name), encoding="utf-8")
            with Grader() as grader:
                found = grader.grade(find(path, lab=exercise.lab), 17, [exercise.name])
            (item,) = found.items
            assert item.parts["speed"] < item.of["speed"], form.key
            assert {**item.parts, "speed": 0} == {**item.of, "speed": 0}, form.key


class _Sandbox:
    """A worker of the grader, which serves all forms of an exercise until one ends it."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._harness = harness_source(exercise.arguments, exercise.observe)
        # Made once for all forms: those of some exercises are long.
        cases = cases_of(exercise, 17)
        self._cases = [(case, encode(dict(case.data))) for case in cases]
        self._started = contextlib.ExitStack()
        self._worker: WorkerClient | None = None
        until = time.monotonic() + 3600
        self._submitted = Submitted(
            Path("form.py"), 17, Limits(), until, "bubblewrap", choice(exercise.lab)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._started.close()

    def loses(self, form: WrongAnswer) -> bool:
        """Return whether a form loses a case of grading."""
        nothing = {each: list[str]() for each in ("modules", "names", "calls", "inside")}
        cells = {1: form.source}
        given = {"cells": cells, "name": form.key, "choice": "explanation", "forbids": nothing}
        assert not isinstance(self._ask({"do": "prepare", **given}, 60), NoAnswer)
        loaded = self._ask({"do": "load", "version": 0, "only": True}, 60)
        assert not isinstance(loaded, NoAnswer)
        assert loaded["found"], loaded
        for case, data in self._cases:
            question = {"do": "call", "data": data, "harness": self._harness}
            answer = self._ask(question, self._exercise.seconds)
            lost = isinstance(answer, NoAnswer)
            outcome = answer if isinstance(answer, NoAnswer) else outcome_of(answer["outcome"])
            if lost or not judge(self._exercise, [case], [outcome]).right:
                return True
        return False

    def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any] | NoAnswer:
        if self._worker is None:
            started = self._submitted.worker(Printed(0), self._exercise)
            self._worker = self._started.enter_context(started)
        send = self._worker.load if question["do"] == "load" else self._worker.ask
        answer = send(question, seconds)
        if isinstance(answer, NoAnswer):  # the worker cannot be used again
            self._started.close()
            self._worker = None
        return answer
