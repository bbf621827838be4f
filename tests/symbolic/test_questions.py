"""Questions that are asked while the graph is built: answered rightly, or refused at that line."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, CustomInput, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import GraphError
from hpml.symbolic.useful_layers import GetAttr
from tests.symbolic.programs import assert_same

VALUE = torch.linspace(-1, 2, 20).reshape(5, 4)


# --- answered -------------------------------------------------------------------------------------


def test_what_is_known_is_a_number() -> None:
    x = Input(shape=(3, 4))
    assert (x.dim(), x.ndimension(), x.ndim) == (3, 3, 3)
    assert (x.size(1), x.size(-1), x.shape[2]) == (3, 4, 4)
    assert all(type(size) is int for size in (x.size(1), x.shape[2], x.size()[1]))
    assert x.is_floating_point()
    assert not x.is_complex()
    assert x.shape == (1, 3, 4) == x.size()
    assert x.shape == torch.Size([1, 3, 4])
    assert x.shape != Input((4, 3)).shape
    assert x.shape[0] == Input((4, 3)).shape[0]
    assert x.shape[1:].numel() == Input((1, 3, 4)).shape[1:].numel() == 12
    assert repr(x.shape) == "torch.Size([1, 3, 4])"
    assert nn.Linear(x.size(-1), 2)(x).shape[1:] == (3, 2)
    assert math.sqrt(x.size(-1)) == 2
    assert list(range(x.size(1))) == [0, 1, 2]
    assert type(Input(batch_shape=(2, 3)).shape) is torch.Size
    assert Input(batch_shape=(2, 3)).shape.numel() == 6
    assert x.numel == 12
    assert Input(batch_shape=(2, 3)).numel() == 6


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
    "counted": lambda x: x + torch.arange(x.size(0)).view(-1, 1, 1),
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


def test_comparing_with_a_number_is_elementwise_and_with_another_handle_identity() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    assert x == x
    assert x != y
    assert x in {x}
    assert x in [y, x]
    assert (x == "text") is False
    assert_same(SymbolicModel(x, (x == 0, x != 0.5))(VALUE), (VALUE == 0, VALUE != 0.5))
    assert_same(SymbolicModel(x, x == VALUE[0])(VALUE), VALUE[0] == VALUE)


def test_keys_are_those_of_the_example() -> None:
    out = CustomInput({"h": VALUE})
    assert "h" in out
    assert "g" not in out


def test_a_field_named_v_is_read_by_its_layer() -> None:
    data = CustomInput(SimpleNamespace(v=VALUE, w=VALUE))
    with pytest.raises(GraphError, match=r"a field named v.*GetAttr\('v'\)"):
        data.v  # noqa: B018
    model = SymbolicModel(data, GetAttr("v")(data) + 1)
    assert_same(model(SimpleNamespace(v=VALUE)), VALUE + 1)


def test_switching_gradients_off_around_a_part_is_refused_and_around_everything_is_not() -> None:
    x, layer = Input(shape=(4,)), nn.Linear(4, 4)
    for off in (torch.no_grad, torch.inference_mode):
        with off(), pytest.raises(GraphError, match=r"y\.detach\(\) behind that part"):
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
        with pytest.raises(GraphError, match="run the model under autocast"):
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
    with pytest.raises(GraphError, match=r"write add_to_graph\(function, x\)"):
        function(x)
    model = SymbolicModel(x, add_to_graph(function, x))
    del x
    assert len(model.graph.calls) == 1
    assert_same(model(VALUE), VALUE.sin() * 2)
    torch._dynamo.reset()


def test_numbers_of_numpy_are_operands() -> None:
    x = Input(shape=(4,))
    half = np.float64(0.5)
    model = SymbolicModel(x, (half * x, half - x, x / half))
    assert_same(model(VALUE), (0.5 * VALUE, 0.5 - VALUE, VALUE / 0.5))


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


# --- refused --------------------------------------------------------------------------------------


class Silent(nn.Module):
    def __repr__(self) -> str:
        raise ValueError("no text")

    def forward(self, x: Any) -> Any:
        raise RuntimeError("broken")


MISTAKES: dict[str, tuple[Any, str]] = {
    "requires_grad_": (lambda x: x.requires_grad_(), "nothing needs it in a graph"),
    "zero_": (lambda x: x.zero_(), "torch.zeros_like"),
    "fill_": (lambda x: x.fill_(1), "torch.full_like"),
    "copy_": (lambda x: x.copy_(x), "in place of x.copy_"),
    "normal_": (lambda x: x.normal_(), "torch.randn_like"),
    "add_": (lambda x: x.add_(1), r"use x\.add\(\), which returns a new one"),
    "relu_": (nn.functional.relu_, r"use x\.relu\(\)"),
    "leaky_relu_": (nn.functional.leaky_relu_, r"use leaky_relu\(\)"),
    "apply_": (lambda x: x.apply_(abs), r"add_to_graph\(function, x\)"),
    "add_ of real data": (lambda x: torch.zeros(4).add_(x), r"use x\.add\(\)"),
    "an item of real data": (lambda x: torch.zeros(3, 4).__setitem__(0, x), r"torch\.where"),
    "out": (lambda x: torch.add(x, 1, out=torch.zeros(4)), "leave out away"),
    "register_hook": (
        lambda x: x.register_hook(print),
        r"CallbackLayer\(lambda y: y\.register_hook",
    ),
    "retain_grad": (lambda x: x.retain_grad(), r"CallbackLayer\(lambda y: y\.retain_grad\(\)"),
    "float": (float, "torch.sqrt, not math.sqrt"),
    "int": (int, "a number was expected"),
    "sqrt": (math.sqrt, "torch.sqrt, not math.sqrt"),
    "range": (lambda x: range(x.shape[0]), "the batch size of .* is not known"),
    "a larger batch": (lambda x: x.shape[0] > 1, "the batch size of .* is not known"),
    "a batch of one": (lambda x: x.size(0) == 1, "the batch size of .* is not known"),
    "another batch": (lambda x: x.shape[0] != 8, "the batch size of .* is not known"),
    "numel": (lambda x: x.shape.numel(), "the batch size of .* is not known"),
    "numel()": (lambda x: x.numel(), "the batch size of .* is not known"),
    "torch.tensor": (torch.tensor, r"which torch\.tensor\(x\) would copy: use x itself"),
    "np.exp": (np.exp, r"np\.exp expected numbers"),
    "np.array": (np.array, r"np\.array expected numbers"),
    "a class": (lambda x: x(nn.ReLU), r"ReLU\(\.\.\.\)\(x\)"),
    "a stride": (lambda x: nn.Conv2d(3, 8, 3, x), "Conv2d expected numbers as its settings"),
    "a width": (lambda x: nn.Linear(4, x), r"make the layer first, .*, Linear\(\.\.\.\)\(x\)"),
    "a bias": (lambda x: nn.Linear(4, 4, x), "Linear expected numbers"),
    "a dimension": (lambda x: nn.Softmax(x)(x), "received <.*> as dim"),
    "a first dimension": (lambda x: nn.Flatten(x)(x), "received <.*> as start_dim"),
    "a layer's input": (lambda x: nn.Linear(4, 4)(nn.GELU(x)), r"GELU\(\.\.\.\)\(x\)"),
    "a model's output": (lambda x: SymbolicModel(x, nn.GELU(x)), r"GELU\(\.\.\.\)\(x\)"),
    "a window": (lambda x: nn.MaxPool2d(2, x)(Input((3, 8, 8))), "expected whole numbers"),
    "squeeze": (lambda x: x.squeeze(), r"x\.squeeze\(1\)"),
    "torch.squeeze": (torch.squeeze, r"x\.squeeze\(1\)"),
    "a sample": (lambda x: x[2], r"write x\[:, 2\]"),
    "backward": (lambda x: x.sum().backward(), r"model\(data\)\.sum\(\)\.backward\(\)"),
    "in": (lambda x: 1.0 in x, r"\(x == value\)\.any\(\)"),
    "an if": (lambda x: 1 if x == 0 else 2, "truth value"),
    "a dictionary": (lambda x: SymbolicModel(x, {"a": x}), r"list\(outputs\.values\(\)\)"),
    "a misspelt attribute": (lambda x: x(lambda y: y.shpae), "no attribute 'shpae'"),
    "no repr": (lambda x: Silent()(x), "Silent cannot take a value"),
}


@pytest.mark.filterwarnings("ignore:unpacking")
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_says_what_to_write_instead(name: str) -> None:
    mistake, message = MISTAKES[name]
    with pytest.raises(GraphError, match=message):
        mistake(Input(shape=(4,)))


def test_a_long_layer_is_named_in_a_few_lines() -> None:
    x = Input(shape=(4,))
    block = nn.Sequential(*(nn.Linear(4, 4) for _ in range(500)))
    with pytest.raises(GraphError) as caught:
        nn.Sequential(block, nn.Linear(5, 5))(x)
    assert len(str(caught.value)) < 1500
    model = SymbolicModel(x, block(x))
    del x
    with pytest.raises(RuntimeError) as failed:
        model(torch.rand(5, 3))
    assert len("".join(failed.value.__notes__)) < 1500
