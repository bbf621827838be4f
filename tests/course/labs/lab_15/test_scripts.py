from __future__ import annotations

import ast
import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch

from hpml.course.grading.speed import Sample, chosen
from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_15_capstone import exercises
from hpml.course.labs.lab_15_capstone.exercises import judge_kind, judge_training
from hpml.course.labs.lab_15_capstone.harness import reported, waves
from hpml.course.labs.lab_15_capstone.scripts import FAULTS, KINDS, ORIGINALS, script, train_of
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.exercises.exercise import Case, Wrong
from hpml.course.lesson.exercises.outcomes import Returned
from hpml.course.sandbox.plain import decode
from tests.course.labs.lab_15.fixed import FIXED, fixed

SEEDS = range(12)
SMALL = {"count": 23, "length": 24, "width": 8, "epochs": 2, "batch_size": 6, "rate": 0.1}
CASE = Case("small", {**SMALL, "seed": 4, "drawn": 5})


def losses_differ(train: Callable[..., Any], kind: str = "") -> Wrong | None:
    judge = judge_kind(kind) if kind else judge_training
    return judge(CASE, Returned(reported(train(**waves(CASE.data)), {}), {}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_script_is_one_that_a_person_could_have_written(seed: int, kind: str) -> None:
    text = script(seed, kind=kind)
    assert text == script(seed, kind=kind)
    assert 60 <= len(text.splitlines()) <= 140
    assert "$" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert "create_graph" not in text, "it takes time, and this fault is to take memory"
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    imported = [
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    assert [name for name in imported if text.count(name.split(".")[0]) < 2] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_all_scripts_report_the_same_fixed_or_not(seed: int, kind: str) -> None:
    assert losses_differ(train_of(script(seed, kind=kind)), kind) is None
    assert losses_differ(train_of(fixed(seed, kind=kind)), kind) is None
    for fault in FAULTS:
        assert losses_differ(train_of(fixed(seed, (fault,), kind)), kind) is None, fault


@pytest.mark.parametrize("kind", KINDS)
def test_an_exercise_accepts_the_reports_of_either_original(kind: str) -> None:
    other = next(each for each in KINDS if each != kind)
    train = train_of(script(0, kind=kind))
    assert losses_differ(train) is None
    assert losses_differ(train, other) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_reports_are_compared_with_the_original_that_they_are_closer_to(kind: str) -> None:
    text = fixed(0, kind=kind)
    assert "momentum=0.9" in text or "mul_(0.9)" in text
    wrong = train_of(text.replace("mul_(0.9)", "mul_(0.8)").replace("=0.9)", "=0.8)"))
    assert f"beside the original {kind}" in losses_differ(wrong).why  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", KINDS)
def test_the_graders_race_is_against_the_original_that_the_submission_is(kind: str) -> None:
    exercise = find("train")
    assert exercise.speed is not None

    def side(data: str) -> Sample:
        train = train_of(fixed(3, kind=kind))
        return Sample(1.0, 1.0, reported(train(**waves(decode(json.loads(data)))), {}))

    def check(case: Case, outcome: object) -> str:
        return "wrong" if judge_training(case, Returned(outcome, {})) else ""

    found = chosen(exercise.speed, side, check, random.Random(1))
    assert found.reference is ORIGINALS[kind]


def test_the_tolerance_takes_float32_and_refuses_half_precision() -> None:
    assert losses_differ(train_of(fixed(0, ("dtype",)))) is None
    half = fixed(0, ("dtype",)).replace(
        "parameters = list", "model.bfloat16(); signals = signals.bfloat16()\n    parameters = list"
    )
    assert "bfloat16" in half
    assert losses_differ(train_of(half)) is not None


def test_remembered_losses_are_those_of_other_data() -> None:
    remembered = train_of(script(0))(**waves({**CASE.data, "drawn": 6}))
    assert losses_differ(lambda **_: remembered) is not None
    assert losses_differ(lambda **_: ([], [])) is not None
    assert losses_differ(lambda **_: None) is not None


def test_the_judge_computes_on_one_thread_and_gives_the_threads_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []

    def original(**arguments: Any) -> Any:
        seen.append(torch.get_num_threads())
        return [], []

    monkeypatch.setattr(exercises, "ORIGINALS", dict.fromkeys(KINDS, original))
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        judge_training(Case("of its own", {**CASE.data, "drawn": 77}), Returned(None, {}))
        assert (set(seen), torch.get_num_threads()) == ({1}, 2)
    finally:
        torch.set_num_threads(before)


def test_what_is_fixed_is_not_told_by_the_room() -> None:
    room = Path(find("train").wrong_answers or "").parents[1]
    texts = [path.read_text(encoding="utf-8") for path in room.rglob("*.py")]
    for fragment in itertools.chain.from_iterable(
        parts.values() for fixes in FIXED.values() for parts in fixes.values()
    ):
        for line in filter(None, map(str.strip, fragment.splitlines())):
            assert not any(line in text for text in texts), line


def test_the_notebook_says_what_is_graded() -> None:
    speed = find("train").speed
    text = "".join(cell.source for cell in nbformat.read(find_lab("15"), as_version=4).cells)
    assert speed is not None
    assert f"none at {1 / speed.none:.2f} times as fast to all at {1 / speed.full:g}" in text
    assert f"{speed.points:g} points for the **ratio**" in text
