"""Questions that are asked while the graph is built: answered rightly, or refused at that line."""

from __future__ import annotations

import math
import operator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import ArgumentError, GraphError
from hpml.symbolic.useful_layers import GetAttr
from tests.parts import raises
from tests.symbolic.processes import run_python
from tests.symbolic.programs import assert_same

VALUE = torch.linspace(-1, 2, 20).reshape(5, 4)


def test_what_is_known_is_a_number_and_the_rest_is_symbolic() -> None:
    x = Input(shape=(3, 32, 24))
    assert (x.C, x.channels, x.H, x.W, x.HW, x.CHW) == (3, 3, 32, 24, (32, 24), (3, 32, 24))
    assert (x.HWC, x.features, x.ndim, x.dim()) == ((32, 24, 3), 24, 4, 4)
    assert all(type(size) is int for size in (x.size(1), x.shape[2], x.size()[-1], x.features))
    assert (x.is_floating_point(), x.is_complex(), x.dtype) == (True, False, torch.float32)
    assert (x.batch_size_known, Input(batch_shape=(2, 3)).batch_size_known) == (False, True)
    assert repr(x.shape) == "torch.Size([None, 3, 32, 24])"
    assert x.shape == (None, 3, 32, 24)
    assert x.shape == (2 * x).shape != Input((4, 32, 24)).shape
    assert x.shape[1:].numel() == 3 * 32 * 24
    known = Input(batch_shape=(2, 3))
    assert (type(known.shape), known.numel, known.numel(), len(known)) == (torch.Size, 6, 6, 2)


@pytest.mark.parametrize(
    ("settings", "shape", "example"),
    [
        ({"shape": [2, 3]}, (None, 2, 3), (1, 2, 3)),
        ({"shape": (4,), "batch_size": 7}, (None, 4), (7, 4)),
        ({"batch_shape": (5, 4)}, (5, 4), (5, 4)),
        ({}, (None,), (1,)),
        ({"shape": (np.int64(4),)}, (None, 4), (1, 4)),
    ],
)
def test_an_input_has_the_shape_it_was_given(settings: Any, shape: Any, example: Any) -> None:
    x = Input(**settings)
    assert (x.shape, x.v.shape) == (shape, example)


TOKEN = nn.Parameter(torch.rand(1, 1, 4))
VIEWS = {
    "shape": lambda x: x.view(x.shape[0], -1),
    "size": lambda x: x.reshape(x.size(0) * x.size(1), -1),
    "doubled": lambda x: x.reshape(2 * x.shape[0], -1),
    "in a tuple": lambda x: x.reshape((x.shape[0], -1)),
    "unpacked": lambda x: x.view(*x.shape[:1], -1),
    "whole": lambda x: x.flatten().view(x.shape),
    "noise": lambda x: torch.zeros(x.shape) + x,
    "a token": lambda x: torch.cat([TOKEN.expand(x.size(0), -1, -1), x], 1),
    "a token, a tuple": lambda x: torch.cat([TOKEN.expand((x.shape[0], -1, -1)), x], 1),
    "negated": lambda x: x * -x.shape[0],
    "repeated": lambda x: torch.cat([TOKEN.repeat(x.size(0), 1, 1), x], 1),
    "counted": lambda x: x + torch.arange(x.size(0), device=x.device).view(-1, 1, 1),
    "given to a module": lambda x: Reshapes()(x, x.shape[0]),
}


class Reshapes(nn.Module):
    def forward(self, x: Any, size: int) -> Any:
        return x.reshape(size, -1)


@pytest.mark.parametrize("name", VIEWS)
def test_the_batch_size_in_an_expression_is_that_of_the_real_batch(name: str) -> None:
    x, value = Input(shape=(3, 4)), torch.rand(5, 3, 4)
    assert_same(SymbolicModel(x, VIEWS[name](x))(value), VIEWS[name](value))


def test_noise_of_the_shape_of_a_value_is_drawn_anew_for_the_real_batch() -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, x + torch.rand(x.shape))
    first, second = model(VALUE), model(VALUE)
    assert first.shape == (5, 4)
    assert not torch.equal(first, second)
    assert not torch.equal(first[0] - VALUE[0], first[1] - VALUE[1])


def test_building_draws_no_random_numbers_and_allocates_nothing() -> None:
    x = Input(shape=(100_000, 100_000))
    state = torch.get_rng_state()
    assert torch.randn(x.shape[0], 100_000, 100_000).shape == x.shape
    assert torch.rand(x.shape[0], x.shape[0]).dim() == 2
    assert torch.equal(state, torch.get_rng_state())


def test_torch_finds_its_factories_after_building() -> None:
    program = """
        import torch
        from hpml.symbolic import Input
        x = Input(shape=(4,)).sin()
        del x
        with torch.device("meta"):
            print(torch.zeros(2).device)
    """  # in a process of its own, because torch lists its factories at their first use
    assert run_python(program) == "meta\n"


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_noise_of_a_generator_is_drawn_only_when_the_model_runs(execution: str) -> None:
    x, generator = Input(shape=(4,)), torch.Generator().manual_seed(3)
    noise = torch.rand(x.shape, generator=generator)
    more = torch.rand(x.shape[0], 4, generator=generator)
    model = SymbolicModel(x, (x + noise, more), execution=execution)
    again = torch.Generator().manual_seed(3)
    expected = VALUE + torch.rand(5, 4, generator=again), torch.rand(5, 4, generator=again)
    assert_same(model(VALUE), expected)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_a_tensor_of_sizes_has_those_of_the_real_batch(execution: str) -> None:
    x = Input(shape=(4,))
    sizes = (
        torch.tensor([x.shape[0], 2], device=x.device),
        add_to_graph(torch.tensor, [3, x.shape[0]], dtype=torch.float32),
    )
    model = SymbolicModel(x, (x * sizes[0][0], *sizes), execution=execution)
    expected = VALUE * torch.tensor(5), torch.tensor([5, 2]), torch.tensor([3.0, 5.0])
    assert_same(model(VALUE), expected)


def test_keys_are_those_of_the_example() -> None:
    out = CustomInput({"h": VALUE})
    assert "h" in out
    assert "g" not in out


def test_a_field_named_v_is_read_by_its_layer() -> None:
    data = CustomInput(SimpleNamespace(v=VALUE, w=VALUE))
    model = SymbolicModel(data, GetAttr("v")(data) + 1)
    assert_same(model(SimpleNamespace(v=VALUE)), VALUE + 1)


def test_switching_gradients_off_around_a_part_is_refused_and_around_everything_is_not() -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    for off in (torch.no_grad, torch.inference_mode):
        mode = "torch.no_grad() or torch.inference_mode()"
        with off(), raises(GraphError, object=mode, remedy="y.detach()"):
            layer(x)
    with torch.no_grad():
        inside = Input(shape=(4,))
        model = SymbolicModel(inside, layer(inside))
    assert model(VALUE).requires_grad


def test_a_token_is_trained_and_expand_is_torchs_own_again() -> None:
    x = Input(shape=(3, 4))
    model = SymbolicModel(x, TOKEN.expand(x.size(0), -1, -1) + x)
    assert [id(parameter) for parameter in model.parameters()] == [id(TOKEN)]
    del x
    assert "expand" not in torch.Tensor.__dict__


def test_autocast_around_a_part_is_refused_and_around_everything_is_not() -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    with torch.autocast("cpu", torch.bfloat16):
        with raises(GraphError, object="torch.autocast", remedy="under autocast"):
            layer(x)
        inside = Input(shape=(4,))
        model = SymbolicModel(inside, layer(inside))
        assert model(VALUE).dtype is torch.bfloat16
    assert model(VALUE).dtype is torch.float32


@pytest.mark.filterwarnings("ignore:Dynamo does not know", "ignore:.*Dynamo detected a call")
def test_a_function_that_was_compiled_is_recorded_as_a_whole() -> None:
    torch._dynamo.reset()
    function = torch.compile(lambda x: x.sin() * 2, backend="eager")
    x = Input(shape=(4,))
    with raises(GraphError, object="graph", remedy="add_to_graph(function, x)"):
        function(x)
    model = SymbolicModel(x, add_to_graph(function, x))
    del x
    assert len(model.graph.calls) == 1
    assert_same(model(VALUE), VALUE.sin() * 2)
    torch._dynamo.reset()


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_what_is_added_to_a_real_tensor_starts_anew_at_each_run(execution: str) -> None:
    x = Input(shape=(4,))
    kept = total = torch.zeros(1, 4)
    for factor in (2, 3):
        total += factor * x
    model = SymbolicModel(x, total, execution=execution)
    for _ in range(2):
        assert_same(model(VALUE), 2 * VALUE + 3 * VALUE)
    assert_same(kept, torch.zeros(1, 4))


class Silent(nn.Module):
    def __repr__(self) -> str:
        raise ValueError("no text")

    def forward(self, x: Any) -> Any:
        raise RuntimeError("broken")


MISTAKES: dict[str, Any] = {
    **{name: lambda x, name=name: getattr(x, name)() for name in ("requires_grad_", "zero_")},
    "fill_": lambda x: x.fill_(1),
    "add_": lambda x: x.add_(1),
    "relu_": nn.functional.relu_,
    "an item of real data": lambda x: torch.zeros(3, 4).__setitem__(0, x),
    "out": lambda x: torch.add(x, 1, out=torch.zeros(4)),
    "register_hook": lambda x: x.register_hook(print),
    "float": float,
    "sqrt": math.sqrt,
    "range": lambda x: range(x.shape[0]),
    "a decision about the batch": lambda x: 1 if x.shape[0] > 1 else 2,
    "rows of the batch": list,
    "np.array": np.array,
    "a class": lambda x: x(nn.ReLU),
    "a stride": lambda x: nn.Conv2d(3, 8, 3, x),
    "a width": lambda x: nn.Linear(4, x),
    "a batch as a width": lambda x: nn.Linear(4, x.shape[0]),
    "a dimension": lambda x: nn.Softmax(x)(x),
    "a setting that is not asked for": lambda x: nn.ReLU(x)(x),
    "a layer's input": lambda x: nn.Linear(4, 4)(nn.GELU(x)),
    "a model's output": lambda x: SymbolicModel(x, nn.GELU(x)),
    "squeeze": lambda x: x.squeeze(),
    "torch.squeeze": torch.squeeze,
    "squeeze the batch": lambda x: x.squeeze(0),
    "real data, filled with a size": lambda x: torch.ones(4).fill_(x.shape[0]),
    "a size as a key": lambda x: {1: 2.0}.get(x.shape[0]),
    "an assignment of another dtype": lambda x: operator.iadd(x.half(), x),
    "an assignment of another shape": lambda x: operator.imul(x.sum(1, keepdim=True), x),
    "backward": lambda x: x.sum().backward(),
    "grad": lambda x: x.grad is None,
    "in": lambda x: 1.0 in x,
    "an if": lambda x: 1 if x == 0 else 2,
    "both shapes": lambda x: Input(shape=(4,), batch_shape=(1, 7)),
    "a dictionary": lambda x: SymbolicModel({"a": x}, x),
    "a dictionary of numbers": lambda x: SymbolicModel(x, {"a": 1}),
    "an assignment to a part of an input": lambda x: (x[:, :2].__imul__(2), x * 2)[1],
    "a misspelt attribute": lambda x: x(lambda y: y.shpae),
    "no repr": lambda x: Silent()(x),
    "a fixed width on the batch": lambda x: nn.Linear(1, 2)(x @ x.T),
    "an image without channels": lambda x: nn.Conv2d(1, 2, 3)(Input((28, 28))),
}
IN_PLACE, INPUT = "change a value in place", "input of shape (None, 4)"
SIZE = ("argument", "a size that depends on the batch")
NUMBER = ("argument", INPUT)
SAID: dict[str, tuple[str, str]] = {
    # The object of the error, and what it received.
    **{f"{name}": (f"x.{name}()", IN_PLACE) for name in MISTAKES if name.endswith("_")},
    "an item of real data": ("x[i] = y", "change a value"),
    "out": ("add(..., out=y)", IN_PLACE),
    "register_hook": ("x.register_hook()", "symbolic data"),
    "float": NUMBER,
    "sqrt": NUMBER,
    "range": SIZE,
    "a decision about the batch": ("truth value", "gt"),
    "rows of the batch": ("iteration", "batch"),
    "np.array": NUMBER,
    "a class": ("layer", "the class ReLU"),
    "a stride": ("Conv2d", INPUT),
    "a width": ("Linear", INPUT),
    "a batch as a width": ("Linear", "a size that depends on the batch"),
    "a dimension": ("Softmax", "as dim"),
    "a setting that is not asked for": ("ReLU", "as inplace"),
    "a layer's input": ("GELU", "as approximate"),
    "a model's output": ("GELU", "as approximate"),
    **dict.fromkeys(
        ("squeeze", "torch.squeeze", "squeeze the batch"), ("x.squeeze()", "(None, 4)")
    ),
    "real data, filled with a size": ("x.fill_()", IN_PLACE),
    "a size as a key": SIZE,
    "an assignment of another dtype": ("an assignment such as +=, *= or @= (add)", "float32"),
    "an assignment of another shape": ("an assignment such as +=, *= or @= (mul)", "(None, 4)"),
    "backward": ("x.backward()", "symbolic data"),
    "grad": ("x.grad", "symbolic data"),
    "in": ("`in`", "SymbolicTensor"),
    "an if": ("truth value", "eq"),
    "both shapes": ("Input", "(4,) and (1, 7)"),
    "a dictionary": ("inputs", "dict"),
    "a dictionary of numbers": ("outputs", "int"),
    "an assignment to a part of an input": ("use of a value", INPUT),
    "a misspelt attribute": ("lambda(a0)", "shpae"),
    "no repr": ("<Silent, whose repr raises ValueError>", "broken"),
    "a fixed width on the batch": (
        "Linear(in_features=1, out_features=2, bias=True)",
        "None, None",
    ),
    "an image without channels": (
        "Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1))",
        "shape (None, 28, 28)",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused_at_its_line(name: str) -> None:
    what, received = SAID[name]
    with raises(GraphError, object=what, received=received):
        MISTAKES[name](Input(shape=(4,)))


@pytest.mark.parametrize(
    "other", [lambda x: x[:100], lambda x: x[:600], lambda x: x.T, lambda x: Input(shape=(4,))]
)
def test_a_comparison_of_shapes_that_depends_on_the_batch_is_refused(other: Any) -> None:
    x = Input(shape=(4,))
    with raises(ArgumentError, object="truth value", received="only when the model runs"):
        bool(other(x).shape == x.shape)
    with raises(ArgumentError, object="truth value", received="only when the model runs"):
        bool(x.shape == other(x).shape)
    assert x[1:].shape != x.shape == (2 * x).shape != x.sum(1).shape
