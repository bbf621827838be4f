from __future__ import annotations

import gc
import re
from typing import Any

import pytest
import torch
from torch import fx, nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from tests.symbolic.hazards import (
    LAYERS,
    Pair,
    always_called,
    called_layers,
    model_of,
    network,
    observe,
    value,
)
from tests.symbolic.models import VALUE, small_model
from tests.symbolic.programs import assert_same


@pytest.fixture
def _fresh_compiler() -> Any:
    gc.collect()  # handles that wait for the collector
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.usefixtures("_fresh_compiler")
@pytest.mark.parametrize("training", [True, False])
def test_torch_compile_takes_the_whole_model_and_the_model_stays_what_it_was(
    training: bool,
) -> None:
    pair = Pair("inlined", training)
    assert pair.agree()
    for owner in (pair.model, pair.twin):
        owner.drop.p = 0.0  # a compiled function may draw other numbers
    compiled = torch.compile(pair.model, fullgraph=True, backend="eager")
    for _ in range(2):
        expected = observe(pair.twin, [])
        received = observe(compiled, [])
        assert_same(received["result"], expected["result"])
        assert_same(list(received["gradients"].values()), list(expected["gradients"].values()))
    for owner in (pair.model, pair.twin):
        owner.linear.weight = nn.Parameter(torch.full((6, 16), 0.1))
    assert_same(observe(compiled, [])["result"], observe(pair.twin, [])["result"])
    assert pair.agree()
    assert called_layers(pair.model) == always_called(pair.model)


@pytest.mark.usefixtures("_fresh_compiler")
@pytest.mark.parametrize("strict", [True, False])
def test_torch_export_takes_the_whole_model(strict: bool) -> None:
    graphs = []
    for execution in ("inlined", "codegen"):
        model = model_of(network(training=False), execution)
        gc.collect()
        exported = torch.export.export(model, (value(),), strict=strict)
        assert_same(exported.module()(value()), model(value()))
        assert set(exported.state_dict) == set(model.state_dict())
        graphs.append([(node.op, str(node.target)) for node in exported.graph.nodes])
    assert graphs[0] == graphs[1]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_torchscript_traces_it_as_it_traces_a_model_that_calls() -> None:
    traced = []
    for execution in ("inlined", "codegen"):
        model = model_of(network(training=False), execution)
        traced.append(torch.jit.trace(model, (value(),)))
        assert_same(traced[-1](value() + 1), model(value() + 1))
        assert called_layers(model) == (
            always_called(model) if execution == "inlined" else set(model._modules)
        )
    graphs = [re.sub(r"\.___torch_mangle_\d+", "", str(t.graph)) for t in traced]
    assert graphs[0] == graphs[1]
    modules = [[name for name, _ in t.named_modules()] for t in traced]
    assert modules[0] == modules[1] == ["", *(call.name for call in model.graph.calls)]


class Wrapper(nn.Module):
    """A symbolic model as a part of something larger."""

    def __init__(self, model: SymbolicModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.model(x) + 1


def fx_nodes(model: nn.Module) -> list[tuple[str, str]]:
    graph = fx.Tracer().trace(model)
    traced = fx.GraphModule(model, graph)
    assert_same(traced(value()), model(value()))
    return [(node.op, str(node.target)) for node in graph.nodes]


def test_symbolic_trace_sees_the_layers() -> None:
    models = [model_of(network(training=False), how) for how in ("inlined", "codegen")]
    gc.collect()
    nodes = [fx_nodes(Wrapper(model)) for model in models]
    assert nodes[0] == nodes[1]
    called = [name for op, name in nodes[0] if op == "call_module"]
    names = [call.name for call in models[0].graph.calls if call.name in LAYERS]
    assert called == [f"model.{name}" for name in names]
    assert called_layers(models[0]) == always_called(models[0])


class Tagged(torch.Tensor):
    """A tensor of a class of its own, which sees every function that is applied to it."""

    seen: list[str] = []  # noqa: RUF012 - emptied by the test

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(getattr(func, "__name__", str(func)))
        return super().__torch_function__(func, types, args, kwargs or {})


@pytest.mark.parametrize("training", [True, False])
def test_tensors_of_other_classes_are_passed_on(training: bool) -> None:
    seen, results = [], []
    for execution in ("inlined", "codegen"):
        model = Pair(execution, training).model
        Tagged.seen.clear()
        torch.manual_seed(0)
        result = model(value().as_subclass(Tagged))
        assert type(result) is Tagged
        results.append(result.as_subclass(torch.Tensor))
        seen.append([name for name in Tagged.seen if not name.startswith("__")])
    assert seen[0] == seen[1]
    assert_same(*results)


@pytest.mark.parametrize("execution", EXECUTIONS)
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


@pytest.mark.usefixtures("_fresh_compiler")
def test_torch_compile_with_dynamic_sizes_accepts_the_sizes_that_were_read() -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.Linear(x.shape[1], 4)(x) * x.shape[0])
    compiled = torch.compile(model, fullgraph=True, backend="eager", dynamic=True)
    for batch in (5, 3, 1):
        value = torch.rand(batch, 4)
        assert_same(compiled(value), model(value))
    with pytest.raises(RuntimeError):
        compiled(torch.rand(5, 3))
