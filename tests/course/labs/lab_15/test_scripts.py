from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_15_capstone import exercises
from hpml.course.labs.lab_15_capstone.exercises import judge_training
from hpml.course.labs.lab_15_capstone.harness import reported, waves
from hpml.course.labs.lab_15_capstone.scripts import FAULTS, script, train_of
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.exercises.exercise import Case
from hpml.course.lesson.exercises.outcomes import Returned
from tests.course.labs.lab_15.fixed import FIXED, fixed

SEEDS = range(12)
SMALL = {"count": 23, "length": 24, "width": 8, "epochs": 2, "batch_size": 6, "rate": 0.1}
CASE = Case("small", {**SMALL, "seed": 4, "drawn": 5})


def losses_differ(train: Callable[..., Any]) -> object:
    return judge_training(CASE, Returned(reported(train(**waves(CASE.data)), {}), {}))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_script_is_one_that_a_person_could_have_written(seed: int) -> None:
    text = script(seed)
    assert text == script(seed)
    assert 60 <= len(text.splitlines()) <= 120
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


@pytest.mark.parametrize("seed", SEEDS)
def test_all_scripts_report_the_same_fixed_or_not(seed: int) -> None:
    assert losses_differ(train_of(script(seed))) is None
    assert losses_differ(train_of(fixed(seed))) is None
    for fault in FAULTS:
        assert losses_differ(train_of(fixed(seed, (fault,)))) is None, fault


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

    monkeypatch.setattr(exercises, "original", original)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        judge_training(Case("of its own", {**CASE.data, "drawn": 77}), Returned(None, {}))
        assert (seen, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(before)


def test_what_is_fixed_is_not_told_by_the_room() -> None:
    room = Path(find("train").wrong_answers or "").parents[1]
    texts = [path.read_text(encoding="utf-8") for path in room.rglob("*.py")]
    for fragment in itertools.chain.from_iterable(parts.values() for parts in FIXED.values()):
        for line in filter(None, map(str.strip, fragment.splitlines())):
            assert not any(line in text for text in texts), line


def test_the_notebook_says_what_is_graded() -> None:
    speed = find("train").speed
    text = "".join(cell.source for cell in nbformat.read(find_lab("15"), as_version=4).cells)
    assert speed is not None
    assert f"none at {1 / speed.none:.2f} times as fast to all at {1 / speed.full:g}" in text
    assert f"{speed.points:g} points for the **ratio**" in text
