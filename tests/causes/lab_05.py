from __future__ import annotations

import pytest
import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel
from tests.causes.shown import DEFINITION, RANGES, NoCause, Shown
from tests.questions import lab_05

CLAIM = NoCause("it is one of the claims that the experiment decides")


def the_order_decides_how_many_values_are_alive() -> None:
    """The same graph of sixteen branches, executed in two topological orders."""
    from hpml.course.labs.lab_05_computation_graphs import graphs

    edges = graphs.branching(16)
    by_layer = list(edges)
    one_by_one: list[str] = []
    parents: dict[str, list[str]] = {name: [] for name in edges}
    for name, targets in edges.items():
        for target in targets:
            parents.setdefault(target, []).append(name)

    def visit(name: str) -> None:
        for parent in reversed(parents[name]):
            if parent not in one_by_one:
                visit(parent)
        one_by_one.append(name)

    for name in by_layer:
        if not edges[name]:
            visit(name)
    for name in by_layer:
        if name not in one_by_one:
            visit(name)
    assert sorted(one_by_one) == sorted(by_layer)
    assert graphs.most_alive(one_by_one, edges) < graphs.most_alive(by_layer, edges)


def declaring_finds_shapes_and_no_numbers() -> None:
    """A wrong shape and a wrong number in the same embedding."""
    words = nn.Embedding(50, 4)
    x = Input(shape=(3,), dtype=torch.int64)
    model = SymbolicModel(x, words(x))
    with pytest.raises(IndexError):
        model(torch.full((1, 3), 50))
    assert model(torch.full((1, 3), 49)).shape == (1, 3, 4)
    with pytest.raises(Exception, match=r"\b5\b"):
        nn.Linear(5, 2)(words(x))


def a_model_is_a_module() -> None:
    """A model and a layer, both called on a symbolic tensor."""
    inner_input = Input(shape=(4,))
    inner = SymbolicModel(inner_input, nn.Linear(4, 3)(inner_input))
    assert isinstance(inner, nn.Module)
    x = Input(shape=(4,))
    outer = SymbolicModel(x, nn.ReLU()(inner(x)))
    assert inner in set(outer.modules())
    assert outer(torch.rand(2, 4)).shape == (2, 3)


def grad_fn_is_the_last_step() -> None:
    """The order of two operations forwards and of their steps backwards."""
    x = torch.ones(1, requires_grad=True)
    order: list[str] = []
    first = x * 2
    last = first.exp()
    assert last.grad_fn is not None
    assert first.grad_fn is not None
    for name, tensor in (("first", first), ("last", last)):
        tensor.grad_fn.register_hook(lambda *_, name=name: order.append(name))  # type: ignore[union-attr]
    last.backward()
    assert order == ["last", "first"]
    assert last.grad_fn.next_functions[0][0] is first.grad_fn


def a_linear_layer_has_two_steps() -> None:
    """A linear layer, its steps; and the last step without a bias, and on a row alone."""
    y = nn.Linear(3, 2)(torch.rand(1, 3))
    assert y.grad_fn is not None
    names = [step.name() for step, _ in y.grad_fn.next_functions if step is not None]
    assert y.grad_fn.name() == "AddmmBackward0"
    assert "TBackward0" in names
    for other in (nn.Linear(3, 2, bias=False)(torch.rand(1, 3)), nn.Linear(3, 2)(torch.rand(3))):
        assert other.grad_fn is not None
        assert other.grad_fn.name() != "AddmmBackward0"


def two_uses_send_two_gradients() -> None:
    """A value that is used once and one that is used twice."""
    for uses in (1, 2):
        x = torch.ones(1, requires_grad=True)
        hidden = x * 3
        calls: list[float] = []
        hidden.grad_fn.register_prehook(lambda grads, calls=calls: calls.append(grads[0].item()))  # type: ignore[union-attr]
        y = sum(hidden * 5 for _ in range(uses))
        assert isinstance(y, torch.Tensor)
        y.backward()
        assert calls == [5.0 * uses], "called once, with the sum"


def a_bias_sums_its_gradient_over_the_batch() -> None:
    """A batch of one and of three, with equal gradients of each example."""
    for batch in (1, 3):
        layer = nn.Linear(2, 2)
        layer(torch.rand(batch, 2)).sum().backward()
        assert layer.bias.grad is not None
        assert layer.bias.grad.tolist() == [float(batch)] * 2


def a_graph_that_depends_on_a_number_is_refused() -> None:
    """One loop, over a tensor and over a declared input."""

    def halve(x: torch.Tensor) -> torch.Tensor:
        while x.sum() > 1:
            x = x / 2
        return x

    assert halve(torch.tensor([8.0])).item() == 1
    with pytest.raises(Exception):  # noqa: B017
        halve(Input(shape=(1,)))


def a_declared_shape_holds_for_such_inputs() -> None:
    """One model: the input that was declared, another, and the declared one with autocast."""
    x = Input(shape=(4,))
    y = nn.Linear(4, 2)(x)
    model, twice = SymbolicModel(x, y), SymbolicModel(x, 2 * x)
    assert (y.shape, y.dtype) == ((None, 2), torch.float32)
    assert (model(torch.ones(3, 4)).shape, model(torch.ones(3, 4)).dtype) == ((3, 2), y.dtype)
    other = twice(torch.ones(2, 5, dtype=torch.float64))
    assert (other.shape, other.dtype) == ((2, 5), torch.float64)
    with torch.autocast("cpu"):
        assert model(torch.ones(3, 4)).dtype == torch.bfloat16


def a_dead_node_may_change_something_else() -> None:
    """A second head that only computes, that draws random numbers, and that counts its batches."""

    def difference(helper: nn.Module) -> bool:
        main, x = nn.Dropout(), Input(shape=(8,))

        def two_heads(v: torch.Tensor) -> torch.Tensor:
            helper(v)
            return main(v)

        model, data, results = SymbolicModel(x, two_heads(x)), torch.ones(4, 8), []
        for run in (model, two_heads):
            torch.manual_seed(0)
            results.append(run(data))
        return not torch.equal(*results)

    assert not difference(nn.Tanh())
    assert difference(nn.Dropout())
    counting = nn.BatchNorm1d(8)
    assert not difference(counting)
    assert counting.num_batches_tracked == 1, "it counts in the function, not in the model"


def a_change_in_place_is_kept_if_it_is_read() -> None:
    """A dead layer that changes its input in place, before that is read and after."""
    first, main, x = nn.Linear(4, 4), nn.Linear(4, 2), Input(shape=(4,))

    def before(v: torch.Tensor) -> torch.Tensor:
        hidden = first(v)
        nn.ReLU(inplace=True)(hidden)
        return main(hidden)

    def after(v: torch.Tensor) -> torch.Tensor:
        hidden = first(v)
        result = main(hidden)
        nn.ReLU(inplace=True)(hidden)
        return result

    data = torch.randn(16, 4)
    for function, calls in ((before, 3), (after, 2)):
        model = SymbolicModel(x, function(x))
        assert len(model.graph.calls) == calls
        assert torch.equal(model(data), function(data))


def an_inner_step_needs_the_graph() -> None:
    """A step called while the graph is kept, after it was freed, and an end."""
    y = nn.Linear(4, 1)(torch.ones(1, 4))
    step = y.grad_fn
    assert step is not None
    assert len(step(torch.ones(1, 1))) == len(step.next_functions)  # type: ignore[operator]
    end = step.next_functions[0][0]
    assert end is not None
    assert end(torch.ones(1)) == ()  # type: ignore[operator]
    y.backward()
    with pytest.raises(RuntimeError, match="freed"):
        step(torch.ones(1, 1))  # type: ignore[operator]


SHOWN: dict[str, Shown] = {
    "So the order also decides how much memory is needed.": (
        the_order_decides_how_many_values_are_alive
    ),
    "No shape is wrong, so declaring finds nothing.": declaring_finds_shapes_and_no_numbers,
    "A model is a module, so it can be called on symbolic tensors and become a node of a larger "
    "graph.": a_model_is_a_module,
    "`y.grad_fn` is the last step of the forward pass, and so the first of the backward pass.": (
        grad_fn_is_the_last_step
    ),
    "A linear layer with a bias, on a batch of rows, computes `addmm(bias, input, weight "
    "transposed)`, so it has two: `AddmmBackward0`, and `TBackward0` for the transposed weight.": (
        a_linear_layer_has_two_steps
    ),
    "Here `hidden` is used twice, so two gradients arrive at its step.": (
        two_uses_send_two_gradients
    ),
    "So a step must wait for all steps that send to it: the order is topological.": (
        two_uses_send_two_gradients
    ),
    "A bias is added to each example, so its gradient is finally summed over the batch "
    "(`sum_to_size`).": a_bias_sums_its_gradient_over_the_batch,
    "So the library refuses, and says what to do.": a_graph_that_depends_on_a_number_is_refused,
    "With many more, B can count: what is kept cannot be reused, so each result needs memory of "
    "its own.": lab_05.question_4_timed,
    "Orders, nodes and bytes follow from rules, so they can be predicted exactly.": DEFINITION,
    "Keeping: what backward will need stays alive, so its memory cannot be reused; the more bytes "
    "are kept, the longer it takes.": CLAIM,
    "Computing: derivatives are computed along with the results, so more numbers take "
    "longer.": CLAIM,
    "B and C both predict that it grows, so it does not separate them.": RANGES,
}
ALSO: dict[str, Shown] = {
    "the shape and type of every value that a run on such an input will make. (Autocast changes "
    "types.)": a_declared_shape_holds_for_such_inputs,
    "If they change nothing else, they need not be computed.": (
        a_dead_node_may_change_something_else
    ),
    "Nodes that it does not reach are not part of the model, unless they change in place a value "
    "that is read later.": a_change_in_place_is_kept_if_it_is_read,
    "Each inner step here can be called, as long as the graph is kept.": (
        an_inner_step_needs_the_graph
    ),
}
