"""The tools of torch see through a symbolic model: fx, compile, export, jit and others."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx, nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from tests.symbolic.models import VALUE, assert_same, small_model

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


@each_execution
def test_to_fx_gives_a_graph_that_tools_of_fx_can_read_and_change(execution: str) -> None:
    model = small_model(execution).eval()
    traced = model.to_fx()
    assert isinstance(traced, fx.GraphModule)
    assert traced.Linear_1 is model.Linear_1
    assert_same(traced(VALUE), model(VALUE))
    assert_same(fx.Interpreter(traced).run(VALUE), model(VALUE))
    called = [node.target for node in traced.graph.nodes if node.op == "call_module"]
    assert called == [call.name for call in model.graph.calls if not call.unpacks]
    output = next(node for node in traced.graph.nodes if node.op == "output")
    output.args = (output.args[0][1],)
    traced.graph.eliminate_dead_code()
    traced.recompile()
    assert_same(traced(VALUE), model(VALUE)[1])
    assert len(traced.graph.nodes) == 3


CAPTURES: dict[str, Callable[[SymbolicModel], Any]] = {
    "compiled": lambda model: torch.compile(model, fullgraph=True, backend="eager"),
    "exported": lambda model: torch.export.export(model, (VALUE,)).module(),
    "traced": lambda model: torch.jit.trace(model, (VALUE,)),
}


@each_execution
@pytest.mark.parametrize("how", CAPTURES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_the_whole_model_is_captured(how: str, execution: str) -> None:
    model = small_model(execution).eval()
    gc.collect()
    torch._dynamo.reset()
    captured = CAPTURES[how](model)
    assert_same(captured(VALUE), model(VALUE))
    assert_same(captured(VALUE + 1), model(VALUE + 1))
    torch._dynamo.reset()


@each_execution
def test_functional_call_and_vmap_see_other_parameters(execution: str) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.Linear(4, 2)(x).tanh(), execution=execution)
    doubled = {name: value.detach() * 2 for name, value in model.named_parameters()}
    expected = torch.tanh(model.Linear_1(VALUE) * 2)
    received = torch.func.functional_call(model, doubled, (VALUE,))
    torch.testing.assert_close(received, expected)
    stacked = {name: torch.stack([value, value * 0]) for name, value in doubled.items()}
    each = torch.func.vmap(lambda p: torch.func.functional_call(model, p, (VALUE,)))(stacked)
    torch.testing.assert_close(each, torch.stack([expected, torch.zeros_like(expected)]))
