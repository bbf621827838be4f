"""Constants, and all that the layer of a function holds, reach what is written out unchanged."""

from __future__ import annotations

import enum
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, add_to_graph
from tests.symbolic.hazards import add_or_call, called_in_source
from tests.symbolic.programs import assert_same
from tests.symbolic.test_inline_expressions import SHAPE, model_of

# --- constants ------------------------------------------------------------------------------------


class Colour(enum.IntEnum):
    RED = 1


class Kind(enum.Enum):
    ONE = "one"


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Point(NamedTuple):
    x: int
    y: int


CONSTANTS: list[Any] = [
    *(0, 1, -1, 255, -(10**6), 2**63, 10**30, 10**5000, True, False, None, ..., NotImplemented),
    *(0.0, -0.0, 1.5, -2.5, 1e-300, 1e300, math.inf, -math.inf, 0.1 + 0.2, 2j, -1.5j),
    *(
        "",
        "a0",
        "a1",
        "k[0]",
        "{0}",
        "{l}",
        "{f}({p})",
        "it's",
        '"',
        "\n",
        "\\",
        "#",
        "é",
        "\ud800",
    ),
    *("a" * 39, "b" * 100, "}", "'''", b"bytes", bytearray(b"x")),
    *((), (1,), (1, -2.5, "a0"), ((1, (2, ("{0}",))), None), (math.inf,), (True, 1, 1.0)),
    *((object,), (Colour.RED,), (Number(3),), tuple(range(30)), ("a" * 50,)),
    *(torch.float32, torch.device("cpu"), torch.Size([1, 2]), torch.strided, slice(1, None, -2)),
    *(Colour.RED, Kind.ONE, Text("text"), Number(7), Point(1, 2), range(3), np.float64(1.5)),
    *(int, len, torch.relu, print, frozenset({1, 2}), [1, [2, "a0"]], {"a0": 1, 2: "k[0]"}, {1, 2}),
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
