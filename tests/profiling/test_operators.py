from __future__ import annotations

import pytest
import torch
from torch import nn

from hpml.profiling import ProfilingError, Work, autograd_graph, work_of
from hpml.symbolic import Input
from tests.parts import raises


def test_declaring_the_lectures_example_executes_nothing():
    def declare() -> None:
        a = Input(batch_shape=(), dtype=torch.int16)
        b = Input(batch_shape=(), dtype=torch.int16)
        torch.add(a, b)
        torch.multiply(a, b)

    assert work_of(declare) == Work((), 0)


def test_running_counts_each_operator_and_the_bytes_of_its_result():
    a, b = torch.ones(10), torch.ones(10)
    work = work_of(lambda: torch.relu(a + b))
    assert work == Work(("add", "relu"), 80)


@pytest.mark.parametrize(
    "view", [lambda x: x.t(), lambda x: x.view(4), lambda x: x[0], lambda x: x.detach()]
)
def test_a_view_is_no_operation_on_numbers(view):
    x = torch.ones(2, 2)
    assert work_of(lambda: view(x)) == Work((), 0)


def test_changing_in_place_is_an_operation_and_makes_no_new_bytes():
    x = torch.ones(4)
    assert work_of(lambda: x.add_(1)) == Work(("add_",), 0)


@pytest.mark.parametrize(
    ("run", "moved"),
    [
        (lambda x: x + x, 16 + 16),  # one tensor that is read once
        (lambda x: x.add_(torch.ones(4)), 16 + 32 + 16),  # that of `ones` is written before
        (lambda x: torch.mul(x, 2, out=torch.empty(4)), 16 + 16),  # `empty` only allocates
        (lambda x: x[:2] * 2, 8 + 8),  # a view moves its part only
    ],
)
def test_the_bytes_that_operators_move_are_those_they_read_and_write(run, moved):
    x = torch.ones(4)
    assert work_of(lambda: run(x)).moved == moved


def test_listening_ends_when_the_run_fails():
    with pytest.raises(ZeroDivisionError):
        work_of(lambda: 1 / 0)
    assert not torch.utils._python_dispatch._get_current_dispatch_mode_stack()


def test_recorded_nodes_are_those_of_the_backward_pass():
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))
    nodes = autograd_graph(net(torch.rand(2, 4)), dict(net.named_parameters()))
    names = [node.name for node in nodes]
    assert names[0] == "AddmmBackward0"
    assert sorted(set(names)) == ["AccumulateGrad", "AddmmBackward0", "ReluBackward0", "TBackward0"]
    assert {node.tensor for node in nodes} == {"", "0.weight", "0.bias", "2.weight", "2.bias"}
    assert nodes[0].saves == ("mat1 (2, 3)", "mat2 (3, 1)")
    assert [node.saves for node in nodes if node.name == "ReluBackward0"] == [("result (2, 3)",)]


def test_a_long_record_needs_no_recursion():
    x = torch.ones(1, requires_grad=True)
    for _ in range(5_000):
        x = x * 2
    assert len(autograd_graph(x)) == 5_001


def test_a_result_without_a_record_is_refused():
    with (
        torch.no_grad(),
        raises(ProfilingError, object="result of autograd_graph", received="without a grad_fn"),
    ):
        autograd_graph(torch.ones(3, requires_grad=True) * 2)


def test_what_is_no_tensor_has_no_graph_and_sparse_tensors_are_operators_too():
    with raises(ProfilingError, object="result of autograd_graph", received="3"):
        autograd_graph(3)
    with raises(ProfilingError, object="function of work_of", received="Tensor"):
        work_of(torch.ones(1))
    found = work_of(lambda: torch.eye(2).to_sparse() + torch.eye(2).to_sparse())
    assert "add" in found.operations


def test_a_compiled_function_stays_compiled() -> None:
    runs = []

    def backend(graph: torch.fx.GraphModule, examples: object) -> object:
        def run(*arguments: object) -> object:
            runs.append(1)
            return graph(*arguments)

        return run

    torch._dynamo.reset()
    compiled = torch.compile(lambda x: (x * 2 + 1).relu(), backend=backend)
    x = torch.ones(4)
    compiled(x)
    assert work_of(lambda: compiled(x)).operations == ("mul", "add", "relu")
    compiled(x)
    assert len(runs) == 2
    torch._dynamo.reset()
