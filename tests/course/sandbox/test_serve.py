"""The worker's loop, spoken with in this process: a channel of two lists stands for the pipes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hpml.course.sandbox import serve
from hpml.course.sandbox.harness import by_name, harness_source, the_result
from hpml.course.sandbox.plain import decode, encode
from hpml.course.sandbox.serve import Worker


class Channel:
    """Gives the questions one after the other and keeps the answers."""

    def __init__(self, *questions: dict[str, Any]) -> None:
        self._questions = list(questions)
        self.answers: list[dict[str, Any]] = []

    def receive(self) -> dict[str, Any] | None:
        return self._questions.pop(0) if self._questions else None

    def send(self, answer: dict[str, Any]) -> None:
        json.dumps(answer)
        self.answers.append(answer)


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo what a worker changes in its process, which here is that of the tests."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    before = list(sys.meta_path)
    yield
    sys.meta_path[:] = before


def _prepare(*cells: str, name: str = "double") -> dict[str, Any]:
    return {
        "do": "prepare",
        "id": "a",
        "cells": {str(number): cell for number, cell in enumerate(cells, start=1)},
        "name": name,
        "choice": "explanation",
        "forbids": {"modules": [], "names": [], "calls": []},
    }


def _case(number: int) -> str:
    return json.dumps(encode({"n": number}))


def _call(**data: object) -> dict[str, Any]:
    return {
        "do": "call",
        "id": "c",
        "data": encode(data),
        "harness": harness_source(by_name, the_result),
    }


LOAD = {"do": "load", "id": "b"}


def _asked(*questions: dict[str, Any]) -> list[dict[str, Any]]:
    channel = Channel(*questions)
    Worker(channel).serve()
    return [answer for answer in channel.answers if "cell" not in answer]


def test_a_function_is_found_loaded_and_called() -> None:
    cell = "STEP = 2\ndef double(n):\n    return STEP * n"
    prepared, loaded, called = _asked(_prepare(cell), LOAD, _call(n=21))
    assert prepared == {
        "id": "a", "found": True, "stub": False, "broken": [], "chosen": [],
        "versions": [[]],
    }  # fmt: skip
    assert loaded == {"id": "b", "failed": [], "found": True, "held": ()}
    assert called["outcome"]["outcome"] == "returned"
    assert decode(called["outcome"]["value"]) == 42


def test_preparing_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    cell = "def double(n, _=print('ran')):\n    return 2 * n"
    assert _asked(_prepare(cell))[0]["found"]
    assert capsys.readouterr().out == ""
    _asked(_prepare(cell), LOAD)
    assert capsys.readouterr().out == "ran\n"


def test_only_the_function_and_the_cell_that_defines_it_print(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cell = "print('defined')\ndef double(n):\n    print('called')"
    _asked(_prepare("print('not')\nimport sys\nsys.stderr.write('this')", cell), LOAD, _call(n=1))
    assert capsys.readouterr() == ("defined\ncalled\n", "")


STEPS = {
    "a loop": ["STEP = 0", "for _ in range(2):\n    STEP += 1"],
    "a function": ["T = []\ndef fill(): T.append(2)", "fill()", "STEP = T[0]"],
    "global": ["def set_step():\n    global STEP\n    STEP = 2", "set_step()"],
    "await": ["async def work(): return 2", "STEP = await work()"],
    "cells run in another order": ["STEP = two()", "def two(): return 2"],
    "an endless cell before": ["while True: pass", "STEP = 2"],
}


@pytest.mark.parametrize("how", STEPS)
def test_a_constant_may_be_made_in_steps(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_OTHER_CELL", 0.2)
    *_, called = _asked(
        _prepare(*STEPS[how], "def double(n):\n    return STEP * n"), LOAD, _call(n=21)
    )
    assert decode(called["outcome"].get("value")) == 42, called


def test_a_stub_below_the_solution_does_not_replace_it() -> None:
    cells = "def double(n):\n    return 2 * n", "def double(n):\n    ..."
    *_, called = _asked(_prepare(*cells), LOAD, _call(n=21))
    assert decode(called["outcome"]["value"]) == 42


def test_what_is_no_function_raises_at_the_call() -> None:
    cell = "def made(f):\n    return 3\n\n@made\ndef double(n):\n    return n"
    *_, called = _asked(_prepare(cell), LOAD, _call(n=1))
    assert called["outcome"]["type"] == "TypeError"
    assert "double is not a function" in called["outcome"]["message"]


def test_time_is_given_in_two_answers_under_own_names_for_parameters() -> None:
    cell = "def double(number):\n    return 2 * number"
    question = {**_call(), "do": "time", "id": "t", "case": _case(2)}
    *_, ready, result = _asked(_prepare(cell), LOAD, question, {"do": "go", "id": "g"})
    assert ready == {"id": "t", "ready": True}
    assert decode(result["timed"]["value"]) == 4


def test_nothing_is_called_before_the_sign() -> None:
    cell = "calls = []\ndef double(n):\n    raise SystemExit"
    question = {**_call(), "do": "time", "id": "t", "case": _case(1)}
    answers = _asked(_prepare(cell), LOAD, question)
    assert answers[-2:] == [{"id": "t", "ready": True}, {"id": "t"}]


def test_a_statement_that_is_tried_again_has_the_time_of_its_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "_OTHER_CELL", 0)  # what the function does not need is not run
    cells = ["STEP = two()", "def two(): return 2", "def double(n):\n    return STEP * n"]
    _, loaded, called = _asked(_prepare(*cells), LOAD, _call(n=21))
    assert loaded["failed"] == []
    assert decode(called["outcome"]["value"]) == 42


def test_each_cell_that_is_needed_is_named_before_it_runs() -> None:
    channel = Channel(_prepare("print()", "TWO = 2", "def double(n):\n    return TWO * n"), LOAD)
    Worker(channel).serve()
    assert [answer.get("cell") for answer in channel.answers] == [None, 2, 3, None]
    assert {answer["id"] for answer in channel.answers[1:]} == {"b"}


def test_what_the_loaded_function_reaches_that_is_forbidden_is_named() -> None:
    cells = (
        "import sys\nt = [getattr(sys, 'size'.join(['get', 'of']))]",
        "def double(n): return t[0](n)",
    )
    question = _prepare(*cells)
    question["forbids"]["inside"] = ["getsizeof"]
    prepared, loaded = _asked(question, LOAD)
    assert prepared["versions"] == [[]]
    assert loaded["held"] == ("getsizeof, held by t",)


def test_a_file_that_the_notebook_wrote_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.py").write_text("TWO = 2")
    cells = (
        "get_ipython().run_line_magic('run', 'two.py')",
        "get_ipython().run_line_magic('run', 'missing.py')",
        "def double(n):\n    return TWO * n",
    )
    *_, called = _asked(_prepare(*cells), LOAD, _call(n=21))
    assert decode(called["outcome"]["value"]) == 42
