"""The tools of torch see through a symbolic model: fx, compile, export, jit, DDP and others."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import torch
from torch import fx, nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from tests.symbolic.models import VALUE, assert_same, small_model
from tests.symbolic.processes import run_together

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


@each_execution
def test_torch_compile_captures_the_whole_model(execution: str) -> None:
    model = small_model(execution).eval()
    gc.collect()
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    assert_same(compiled(VALUE), model(VALUE))
    torch._dynamo.reset()


@each_execution
def test_torch_export_captures_the_whole_model(execution: str) -> None:
    model = small_model(execution).eval()
    exported = torch.export.export(model, (VALUE,))
    assert_same(exported.module()(VALUE), model(VALUE))


@each_execution
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_jit_trace_captures_the_whole_model(execution: str) -> None:
    model = small_model(execution).eval()
    traced = torch.jit.trace(model, (VALUE,))
    assert_same(traced(VALUE + 1), model(VALUE + 1))


@each_execution
def test_a_data_parallel_replica_runs_its_own_layers(execution: str) -> None:
    """What `DataParallel` does on each device, without one."""
    model = small_model(execution).eval()
    expected = model(VALUE)
    replica = model._replicate_for_data_parallel()
    for name, layer in model._modules.items():
        layer_replica = layer._replicate_for_data_parallel()
        for key, parameter in layer._parameters.items():
            if parameter is not None:
                # A replica holds plain tensors, as attributes and not as parameters.
                setattr(layer_replica, key, parameter.detach() * 2)
        setattr(replica, name, layer_replica)
    doubled = replica(VALUE)
    assert_same(doubled[1], expected[1] * 2)
    assert_same(model(VALUE), expected)


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


TRAINING = """
import sys
import torch
import torch.distributed as dist
from torch import nn
from hpml.symbolic import EXECUTIONS, Input, SymbolicModel

rank, store = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
for execution in EXECUTIONS:
    torch.manual_seed(rank)  # DDP must make the weights equal
    x = inputs = Input(shape=(4,))
    for _ in range(3):
        x = nn.Linear(4, 4)(x).tanh()
    model = SymbolicModel(inputs, x, execution=execution)
    parallel = nn.parallel.DistributedDataParallel(model)
    torch.manual_seed(5)
    batch = torch.rand(6, 4)
    parallel(batch[rank * 3 : rank * 3 + 3]).square().mean().backward()
    received = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(batch).square().mean().backward()
    for one, other in zip(received, model.parameters(), strict=True):
        torch.testing.assert_close(one, other.grad)
        assert other.grad.abs().sum() > 0
dist.barrier()
dist.destroy_process_group()
print("equal")
"""


def test_two_processes_train_one_model_under_ddp(tmp_path: Any) -> None:
    store = str(tmp_path / "store")
    assert run_together([(TRAINING, str(rank), store) for rank in range(2)]) == ["equal\n"] * 2
