from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from hpml.benchmark import Comparison, Measurement
from hpml.course.labs.lab_08_fusion_and_compilers import compiling, loops, timeline
from hpml.course.this_run import compiler_of_this_run
from hpml.jit import FirstCall


@pytest.mark.needs("C compiler")
def test_the_loops_in_c_compute_what_the_lecture_says() -> None:
    made, said = loops.loops_in_c()
    x, y = np.random.default_rng(0).random((2, 5), dtype=np.float32)
    for loop in made.values():
        xy = np.zeros((5, 5), np.float32)
        loop(x, y, xy)
        np.testing.assert_allclose(xy, np.outer(x, y) * 100 + 10, rtol=1e-5)
    assert (len(made), said.plain) == (2, "The loops in C were built.")


def test_without_a_compiler_the_lab_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("HPML_QUICK", raising=False)
    made, said = loops.loops_in_c()
    assert made == {}
    assert "there is no cc here" in " ".join(said.plain.split())
    options, why = compiler_of_this_run()
    assert (options, "there is no g++ here" in why) == ({"backend": "aot_eager"}, True)


@pytest.mark.parametrize("unfinished", [lambda *_: None, lambda *_: 1 / 0, lambda *_: 2.5])
def test_the_lab_counts_until_the_student_does(unfinished: Any) -> None:
    operations, shapes = [("a", ["x"]), ("b", ["a"])], dict.fromkeys("xab", (5,))
    apart, together, whose = loops.bytes_of(unfinished, operations, shapes)
    assert (apart, together, "the lab" in whose) == (80, 40, True)


def test_guards_are_seen_to_fail_for_another_type_and_shape() -> None:
    calls = {"5": torch.ones(5), "again": torch.zeros(5), "double": torch.ones(5).double()}
    calls |= {"7": torch.ones(7), "9": torch.ones(9)}
    table = compiling.recompilations(lambda x: x * 100 + 10, calls)
    assert [text != "reused" for text in table.column("graphs")] == [
        True, False, True, True, False,
    ]  # fmt: skip


def decide(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2
    return x - 1


def test_a_compiled_branch_breaks_the_graph_and_stays_right_and_an_operator_does_not_break() -> (
    None
):
    functions = {"decide": decide, "where": lambda x: torch.where(x.sum() > 0, x * 2, x - 1)}
    branch, operator = compiling.compiled(functions, torch.tensor([-3.0, 1.0])).rows
    assert (branch[1], branch[3]) == (2, "[-4.0, 0.0]")
    assert branch[2] == "if x.sum() > 0: an if or a loop depends on the value of a tensor"
    assert operator[1:] == (1, "–", "[-4.0, 0.0]")


def test_a_compiler_pays_where_later_calls_are_faster() -> None:
    def times(name: str, seconds: float) -> Measurement:
        return Measurement(name, tuple(seconds * (1 + n / 1000) for n in range(9)), 1)

    later = Comparison((times("Python", 2e-3), times("trace", 2e-3), times("compile", 1e-3)),
                       "Python", 9)  # fmt: skip
    first = {"Python": 0.002, "trace": 0.1, "compile": 5.002}
    ready = {name: FirstCall(abs, 0.0, seconds) for name, seconds in first.items()}
    column = compiling.paying(ready, later).column("pays off after")
    assert column == ("–", "does not pay off here", "about 5,000 calls")


class Gated(torch.nn.Module):
    def __init__(self, gate: Any) -> None:
        super().__init__()
        self.layer, self.gate = torch.nn.Linear(2, 2), gate

    def forward(self, x: Any) -> Any:
        return self.gate(self.layer(x))


def test_a_traced_model_is_wrong_with_an_if_and_right_without() -> None:
    inputs = torch.tensor([[5.0, 5.0], [-5.0, -5.0], [5.0, -5.0]])
    gates = {
        "if": lambda x: x * 2 if x.sum() > 0 else x - 1,
        "where": lambda x: torch.where(x.sum() > 0, x * 2, x - 1),
    }
    (_, with_if, *_), (_, with_where, nodes, frozen) = compiling.traced_models(Gated, gates, inputs)
    assert with_if in ("1 of 3", "2 of 3")
    assert with_where == "3 of 3"
    assert frozen < nodes


@pytest.mark.gpu
def test_two_streams_have_their_own_stamps() -> None:
    spans = timeline.on_streams(*torch.rand(3, 500, 500))
    assert all(0 <= start < end for _, start, end in spans)


def test_the_timeline_shows_the_round_with_the_median_ratio() -> None:
    taken = iter([9.0, 9.0, 0.5, 0.6, 5.0, 0.55, 0.58, 0.1, 0.57])  # two warm-up rounds, one burst

    def sequence() -> list[timeline.Span]:
        return [("a", 0.0, 0.5), ("b", 0.5, 1.0)]

    def threads() -> list[timeline.Span]:
        return [("a", 0.0, 0.2), ("b", 0.0, next(taken))]

    found = timeline.median_round({"in sequence": sequence, "two threads": threads}, rounds=7)
    assert timeline.duration(found["two threads"]) == 0.57
    assert timeline.duration(found["in sequence"]) == 1.0
