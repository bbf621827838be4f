"""The tools of torch see through a symbolic model: fx, compile, export, jit and others."""

from __future__ import annotations

import pytest
from torch import fx

from hpml.symbolic import EXECUTIONS
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
