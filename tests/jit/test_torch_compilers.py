from __future__ import annotations

from typing import Any

import pytest
import torch

from hpml.jit import (
    JitError,
    first_calls,
    graph_breaks,
    inductor_loops,
    torchscript_graphs,
)
from tests.parts import raises


def test_first_calls_are_timed_and_agree() -> None:
    made = []

    def make() -> Any:
        made.append(1)
        return lambda x: x + x

    ready = first_calls({"eager": lambda: lambda x: x * 2, "other": make}, torch.ones(3))
    assert made == [1]
    assert ready["other"].function(torch.ones(1)).item() == 2
    assert all(each.seconds == each.making + each.first > 0 for each in ready.values())


def test_a_way_that_computes_something_else_is_refused() -> None:
    ways: dict[str, Any] = {"eager": lambda: torch.relu, "wrong": lambda: torch.sigmoid}
    with raises(JitError, object="wrong", expected="eager", received="not close"):
        first_calls(ways, torch.ones(2))


def test_a_way_that_writes_into_the_result_of_another_is_refused() -> None:
    ways: dict[str, Any] = {
        "add": lambda: lambda x: x.add_(1),
        "wrong": lambda: lambda x: x.mul_(7),
    }
    with raises(JitError, object="wrong", expected="add", received="not close"):
        first_calls(ways, torch.ones(2))


def with_a_print(x: Any) -> Any:
    y = x * 2
    print("in between")
    return y + 1


def with_a_decision(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2
    return x - 1


@pytest.mark.parametrize(
    ("function", "source", "why"),
    [
        (with_a_print, 'print("in between")', "a graph cannot contain a call of print"),
        (with_a_decision, "if x.sum() > 0:", "an if or a loop depends on the value of a tensor"),
    ],
)
def test_a_break_is_shown_with_its_line(
    function: Any, source: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = graph_breaks(function, torch.ones(2))
    assert table.column("source") == (source,)
    assert all(isinstance(line, int) for line in table.column("line"))
    assert table.column("why") == (why,)
    assert "2 graphs" in table.title


def test_one_whole_graph_has_no_breaks() -> None:
    table = graph_breaks(torch.nn.Linear(2, 2), torch.ones(1, 2))
    assert table.rows == ()


def test_the_optimised_graph_differs_from_the_recorded_one() -> None:
    graphs = torchscript_graphs(lambda x, y: (x * y + 1).relu(), torch.ones(3), torch.ones(3))
    assert "aten::relu" in graphs["recorded"]
    assert graphs["recorded"] != graphs["optimised"]
    assert "# " not in graphs["recorded"]
    assert "%x : Float(3)" in graphs["recorded"]
    assert "device" not in graphs["recorded"]


# Inductor's own modules use what TorchScript deprecates.
of_torch_itself = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


@of_torch_itself
@pytest.mark.needs("C++ compiler")
def test_inductor_writes_one_loop_for_several_operators() -> None:
    text = inductor_loops(lambda x, y: x * y * 100 + 10, torch.rand(64, 1), torch.rand(64))
    assert text.count("for(int64_t x0") == text.count(".store(out_ptr0") == 1
    assert "static_cast" not in text


@of_torch_itself
def test_a_call_of_a_library_is_no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import utils

    monkeypatch.setattr(utils, "run_and_get_code", lambda *_: (None, ["extern_kernels.mm()"]))
    with raises(JitError, object="relu", expected="C++", remedy="CPU"):
        inductor_loops(torch.relu, torch.ones(2))
