"""What is written out for operators, functions and layers computes what calling them computes."""

from __future__ import annotations

import copy
import enum
import functools
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hpml.symbolic import Input, SymbolicModel, add_to_graph, config
from tests.symbolic.hazards import add_or_call, called_in_source
from tests.symbolic.programs import assert_same, tensors_in

SHAPE = (3, 4)


def model_of(program: Callable[..., Any], execution: str, inputs: int = 2) -> SymbolicModel:
    handles = [Input(shape=SHAPE[1:]) for _ in range(inputs)]
    return SymbolicModel(handles, program(*handles), execution=execution)


def observe(run: Callable[..., Any]) -> Any:
    """Return the outputs of a program and the gradients of its two inputs."""
    torch.manual_seed(0)
    x, y = torch.rand(SHAPE) + 0.5, torch.rand(SHAPE) * 2
    x.requires_grad_()
    y.requires_grad_()
    torch.manual_seed(1)
    outputs = run(x, y)
    total = sum((t.double().square().sum() for t in tensors_in(outputs) if t.requires_grad), 0.0)
    if isinstance(total, Tensor):
        total.backward()
    return outputs, x.grad, y.grad


def check(program: Callable[..., Any], *, written: bool = True) -> SymbolicModel:
    """Compare a program with its model; return the model."""
    torch.manual_seed(3)
    model = model_of(program, "inlined")
    expected = observe(program)
    assert_same(observe(model), expected)
    assert_same(observe(copy.deepcopy(model)), expected)
    assert_same(observe(model_of(program, "codegen")), expected)
    if written:
        assert called_in_source(model) == set()
    return model


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "pow": lambda x, y: x**y,
    "constant sub": lambda x, y: 2.5 - x,
    "sub negative": lambda x, y: x - -3,
    "constant pow": lambda x, y: 2**x,
    "negative pow": lambda x, y: (-2) ** x.detach().round(),
    "pow negative": lambda x, y: x**-2,
    "constant div": lambda x, y: 1 / x,
    "shifts": lambda x, y: (x.long() << 2, y.long() >> 1, 1 << y.long()),
    "chained": lambda x, y: -((x + 1) ** 2) * 3 - y / 2 % 3,
    "infinite": lambda x, y: (x < math.inf, x.clamp(-math.inf), x.detach() * math.inf),
    "no zero": lambda x, y: x * -0.0,
    "huge": lambda x, y: x.double() * 1e200 / 10**18,
    "truth values": lambda x, y: (x + True, False * x),
    "complex": lambda x, y: (x * 2j).abs(),
    "numpy": lambda x, y: x * np.float32(1.5),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_written_as_operators(name: str) -> None:
    check(OPERATORS[name])


def test_the_source_reads_as_one_would_write_it() -> None:
    def program(x: Any, y: Any) -> Any:
        h = (x + y) * 2
        h = (-2) ** h - 0.5
        h = torch.cat([h, y], dim=1)
        return F.relu(h[:, 1:]).transpose(0, 1)

    model = model_of(program, "inlined")
    lines = [line.split("#")[0].strip() for line in model.source.splitlines()]
    expressions = [line.partition(" = ")[2] or line for line in lines]
    assert expressions[1:] == [
        "i0 + i1",
        "h0 * 2",
        "(-2) ** h0",
        "h0 - 0.5",
        "cat([h0, i1], dim=1)",
        "h0[l[5].idx]",
        "relu(h0, inplace=False)",
        "h0.transpose(0, 1)",
        "return h0",
    ]


def described(
    x: Any,
    *more: Any,
    a0: Any = 0,
    data1: Any = 0,
    k: Any = 0,
    l: Any = 0,  # noqa: E741 - a name that the source uses, too
    p: Any = 0,
    f: Any = 0,
    h0: Any = 0,
) -> Any:
    return x * 2 + a0 + 3 * data1 + 5 * k + 7 * l + 11 * p + 13 * f + 17 * h0 + sum(more)


def named(x: Any, **options: Any) -> Any:
    return x * options["from"] + options["a b"]


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "method with tuple": lambda x, y: x.permute((1, 0)).reshape((2, -1)),
    "dtype": lambda x, y: (x.to(torch.float64), y.to(dtype=torch.bfloat16), x.type(torch.int)),
    "functional with a name of the registry": lambda x, y: F.linear(x, y) + F.dropout(x @ y.T, 0.3),
    "two of one name": lambda x, y: (F.relu(x), torch.relu(y), x.relu()),
    "symbolic slice": lambda x, y: operator.getitem(x, slice(0, 2)),
    "keywords": lambda x, y: add_or_call(described, x, a0=1, data1=y, k=2, l=y, p=3, f=4, h0=y),
    "keywords in another order": lambda x, y: add_or_call(described, y, data1=x, a0=y),
    "further values": lambda x, y: add_or_call(described, x, y, x, 4.5, a0=x),
    "odd keywords": lambda x, y: add_or_call(named, x, **{"from": y, "a b": 2}),
    "nested": lambda x, y: add_or_call(nested, [x, {"a": y, "b": (1, x)}], deep=({"a0": [y]},)),
    "random": lambda x, y: (torch.rand_like(x), F.dropout(y), torch.bernoulli(x.clamp(0, 1))),
    "partial": lambda x, y: add_or_call(functools.partial(torch.mul, other=3), x),
    "a class": lambda x, y: add_or_call(Holder, x, y).both,
    "a callable object": lambda x, y: add_or_call(Scale(3), x),
    "bound methods": lambda x, y: add_or_call(Scale(2).apply, x) + add_or_call(Scale(3).apply, y),
}


def nested(values: Any, deep: Any) -> Any:
    return values[0] * 2 + values[1]["a"] + values[1]["b"][1] + deep[0]["a0"][0]


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return x * self.factor

    def apply(self, x: Any) -> Any:
        return x * self.factor


class Holder:
    def __init__(self, x: Any, y: Any) -> None:
        self.both = x + 2 * y


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_written_as_calls_of_them(name: str) -> None:
    check(FUNCTIONS[name])


NAMES = [
    *("l", "p", "h0", "i0", "layer", "zip", "getattr", "slice", "forward", "lambda", "<lambda>"),
    *("class", "match", "None", "self", "linear", "relu", "_", "__x__", "é", "ﬁ", "1x", "a b", ""),
    *("x.y", "print", "__debug__", "batch_norm", "i", "function"),
]


def test_functions_of_any_name_can_be_called() -> None:
    """All in one model, behind layers whose own functions have such names."""
    functions = []
    for number, name in enumerate(NAMES):
        for factor in (1 + number / 1000, 1 - number / 999):

            def function(x: Any, factor: float = factor) -> Any:
                return x * factor

            function.__name__ = name
            functions.append(function)
    layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU(), nn.BatchNorm1d(4).eval()])

    def program(x: Any, y: Any) -> Any:
        for layer in layers:
            x = layer(x)
        for function in functions:
            x = add_or_call(function, x)
        return torch.relu(x)[0:2] + F.linear(x, x)[:2, :1], add_or_call(functions[0], y)

    model = check(program)
    assert "lambda_1(" in model.source
    assert " = relu(" in model.source


def test_a_function_named_as_a_builtin_of_the_loop_does_not_break_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(config, "CODEGEN_MIN_LOOP_LENGTH", 2)

    def zip(x: Any) -> Any:
        return x + 1

    layers = [nn.LayerNorm(4) for _ in range(3)]

    def program(x: Any, y: Any) -> Any:
        for layer in layers:
            x = layer(x)
        return add_or_call(zip, x), add_or_call(zip, y)

    assert "in zip(l[0:3], p[0:3]):" in check(program).source


def unpack_some(x: Any, y: Any) -> Any:
    first, _, third = torch.split(x, [1, 1, 2], dim=1)
    (only,) = torch.chunk(y, 1)
    values, indices = torch.sort(y, dim=1)
    *_, last = y.unbind(1)
    return first, third, only, values * 2, indices, last


def test_unpacking_is_written_as_unpacking() -> None:
    model = check(unpack_some)
    unpackings = [call for call in model.graph.calls if call.unpacks]
    assert len(unpackings) == 4
    assert "*" not in model.source.replace(" * 2", "")


def test_unpacking_too_few_or_too_many_is_the_same_error() -> None:
    def program(x: Any, y: Any) -> Any:
        first, second = torch.split(x, 2)
        return first + 1, second + 1

    handles = [Input(batch_shape=(4, 4)), Input(shape=(4,))]
    models = [
        SymbolicModel(handles, program(*handles), execution=e) for e in ("inlined", "codegen")
    ]
    for rows in (1, 5, 6):
        messages = []
        for model in models:
            with pytest.raises(ValueError, match="values to unpack") as caught:
                model(torch.rand(rows, 4), torch.rand(1, 4))
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


class Colour(enum.IntEnum):
    RED = 1


class Number(int):
    pass


class Point(NamedTuple):
    x: int
    y: int


CONSTANTS: list[Any] = [
    *(0, -1, 2**63, 10**5000, True, None, ..., 0.0, -0.0, 1e300, math.inf, 0.1 + 0.2, -1.5j),
    *("", "a0", "k[0]", "{0}", "{f}({p})", "it's", "\n", "\\", "#", "\ud800", "b" * 100, b"bytes"),
    *((1,), ((1, (2, ("{0}",))), None), (True, 1, 1.0), (Colour.RED,), tuple(range(30))),
    *(torch.float32, torch.device("cpu"), torch.Size([1, 2]), slice(1, None, -2), int, torch.relu),
    *(Colour.RED, Number(7), Point(1, 2), np.float64(1.5), [1, [2, "a0"]], {"a0": 1, 2: "k[0]"}),
]


@pytest.mark.parametrize("value", CONSTANTS, ids=lambda value: type(value).__name__)
def test_a_constant_arrives_as_it_is(value: Any) -> None:
    seen: list[Any] = []

    def keep(x: Any, *values: Any, named: Any = None) -> Any:
        seen.append((values, named))
        return x + 1

    x = Input(shape=(4,))
    h = add_to_graph(keep, x, value, (value, 1), named=value)
    model = SymbolicModel(x, h, execution="inlined")
    del x, h
    assert called_in_source(model) == set()
    seen.clear()
    for _ in range(2):
        model(torch.rand(SHAPE))
    model.execution = "codegen"
    model(torch.rand(SHAPE))
    assert len(seen) == 3
    for (first, pair), third in [((s[0][0], s[0][1]), s[1]) for s in seen]:
        for received in (first, pair[0], third):
            assert type(received) is type(value)
            assert received is value or received == value
            if isinstance(value, float):
                assert math.copysign(1, received) == math.copysign(1, value)
            if isinstance(value, tuple):
                assert list(map(type, received)) == list(map(type, value))
        assert type(pair) is tuple


def test_a_constant_that_is_changed_later_is_seen() -> None:
    scale = [2.0]

    def scaled(x: Any, by: list[float]) -> Any:
        return x * by[0]

    model = model_of(lambda x, y: add_or_call(scaled, x + y, scale), "inlined")
    given = torch.ones(SHAPE), torch.ones(SHAPE)
    assert_same(model(*given), torch.full(SHAPE, 4.0))
    scale[0] = 3.0
    assert_same(model(*given), torch.full(SHAPE, 6.0))


def test_tensors_among_the_arguments_move_with_the_model_so_the_function_is_called() -> None:
    weight, shift = nn.Parameter(torch.rand(4)), torch.rand(4)
    model = model_of(lambda x, y: torch.addcmul(x, y, weight) + shift, "inlined")
    given = torch.rand(SHAPE), torch.rand(SHAPE)
    assert_same(model(*given), torch.addcmul(*given, weight) + shift)
    assert called_in_source(model) == {call.name for call in model.graph.calls}
    double = [t.double() for t in given]
    model.double()
    assert_same(model(*double), torch.addcmul(*double, weight) + shift.double())
