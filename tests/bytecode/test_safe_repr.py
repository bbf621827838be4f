"""Texts of values: every scalar shows its number; code of the program runs once per state."""

from __future__ import annotations

import dataclasses
import enum
import fractions
from collections import Counter, deque
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hpml.bytecode import trace
from hpml.bytecode.safe_repr import Texts, short
from hpml.widgets import stepper


class Level(enum.IntEnum):
    HIGH = 73


class Metres(float):
    pass


PYTHON = [int, float, complex, bool, fractions.Fraction, Decimal, Metres, Level.HIGH.__class__]
NUMPY = sorted(
    {np.dtype(code).type for code in "?bhilqBHILQefdgFDG"}, key=lambda kind: kind.__name__
)
TORCH = [
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.bool),
    *(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
]


@pytest.mark.parametrize("kind", [*PYTHON, *NUMPY], ids=lambda kind: kind.__name__)
@given(number=st.integers(0, 100))
def test_each_scalar_shows_its_number(kind: Callable[[int], Any], number: int) -> None:
    value = kind(73 if kind is Level else number)
    for text in (short(value), short([value]), short((1, {"x": value}))):
        assert str(value).strip("()") in text


@pytest.mark.parametrize("dtype", TORCH, ids=str)
@given(number=st.integers(0, 100))
def test_each_tensor_without_dimensions_shows_its_number(dtype: torch.dtype, number: int) -> None:
    value = torch.tensor(number, dtype=dtype)
    for shown in (value, value.clone().requires_grad_(dtype.is_floating_point)):
        assert short(shown) == f"tensor({value.item()!r})"
    assert short(torch.nn.Parameter(value, requires_grad=False)) == f"Parameter({value.item()!r})"


@pytest.mark.parametrize("code", "?bhilqBHILQefdgFDGSUmM")
def test_an_array_without_dimensions_shows_its_value(code: str) -> None:
    array = np.zeros((), "M8[s]" if code == "M" else "m8[s]" if code == "m" else code)
    assert short(array) == f"array({array.item()!r})"


@pytest.mark.parametrize("text", ["numpy", "2021-03-04", "b'xyz'"])
def test_other_numpy_scalars_show_their_value(text: str) -> None:
    kinds = {"numpy": np.str_("numpy"), "2021-03-04": np.datetime64("2021-03-04")}
    assert text in short(kinds.get(text, np.bytes_(b"xyz")))


def test_tensors_without_a_number_show_their_shape() -> None:
    shown = []
    torch.vmap(lambda x: shown.append(short(x)) or x)(torch.ones(3))
    assert shown == ["<Tensor () torch.float32>"]
    assert short(torch.ones((), device="meta")) == "<Tensor () torch.float32>"
    assert short(torch.ones(1)) == "<Tensor (1,) torch.float32>"


def test_a_stepper_shows_numbers_of_numpy_and_torch() -> None:
    def mean(values: Any, scale: Any) -> Any:
        total = values[0] + values[1]
        return total * scale

    for argument in (np.array([1.25, 2.5]), torch.tensor([1.25, 2.5])):
        lines = [keyframe.line for keyframe in stepper(mean, argument, np.float64(2)).keyframes]
        assert any("3.75" in line for line in lines)
        assert any("7.5" in line for line in lines)
        assert not any("float64 ()" in line or "Tensor ()" in line for line in lines)


class Counted:
    """Counts the calls of its ``__repr__``, in a global list."""

    def __init__(self, x: object) -> None:
        self.x = x

    def __repr__(self) -> str:
        CALLS.append(id(self))
        return f"Counted({self.x})"


CALLS: list[int] = []


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x",)
    x: object

    def __repr__(self) -> str:
        CALLS.append(id(self))
        return f"Slotted({self.x})"


class Selfish:
    count = 0

    def __repr__(self) -> str:
        CALLS.append(id(self))
        self.own = len(CALLS)
        Selfish.count += 1
        return "Selfish"


class Shaped:
    dtype = "float"

    @property
    def shape(self) -> tuple[int]:
        CALLS.append(id(self))
        return (3,)


class Failed(Exception):
    def __str__(self) -> str:
        CALLS.append(id(self))
        return "text"


OBJECTS = {
    "plain": lambda: Counted(1),
    "with slots": lambda: Slotted(1),
    "changes itself": Selfish,
    "in a deque": lambda: deque([Counted(1)]),
    "in a namespace": lambda: SimpleNamespace(a=Counted(1)),
    "in a list of a namespace": lambda: SimpleNamespace(a=[Counted(1)]),
    "like an array": Shaped,
    "with an enumeration": lambda: Counted(Level.HIGH),
    "with a tensor": lambda: Counted(torch.ones(3)),
    "with an array": lambda: Counted(np.ones(3)),
    "with a function and a module": lambda: Counted([len, short, np, int, object()]),
}


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_repr_is_called_once_while_an_object_stays_as_it_is(make: Callable[[], object]) -> None:
    def program(thing: object) -> object:
        same, kept = thing, [thing]
        for n in range(5):
            kept = [same, n]
        return kept[0]

    CALLS.clear()
    for call in (trace, stepper):
        CALLS.clear()
        call(program, make())
        assert len(CALLS) == 1


def test_the_text_of_an_exception_is_made_once() -> None:
    def fails() -> None:
        raise Failed

    def program() -> None:
        try:
            fails()
        finally:
            pass

    CALLS.clear()
    found = trace(program)
    assert found.exception is not None
    assert found.exception.text == "text"
    assert len(CALLS) == 1


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "an attribute": (lambda: Counted(1), lambda thing: setattr(thing, "x", 2)),
    "a slot": (lambda: Slotted(1), lambda thing: setattr(thing, "x", 2)),
    "the sign of a zero": (lambda: Counted(0.0), lambda thing: setattr(thing, "x", -0.0)),
    "an equal value": (lambda: Counted(1), lambda thing: setattr(thing, "x", True)),
    "a list inside": (lambda: Counted([[1]]), lambda thing: thing.x[0].append(2)),
    "an object inside": (lambda: Counted(Counted(1)), lambda thing: setattr(thing.x, "x", 2)),
    "a deque": (lambda: deque([1]), lambda thing: thing.append(2)),
    "a counter": (lambda: Counter("a"), lambda thing: thing.update("b")),
    "an array": (lambda: Counted(np.zeros(2)), lambda thing: thing.x.fill(1)),
    "a large array": (lambda: Counted(np.zeros(9999)), lambda thing: thing.x.fill(1)),
    "a tensor": (lambda: Counted(torch.zeros(2)), lambda thing: thing.x.fill_(1)),
    "an inference tensor": (
        lambda: Counted(torch.inference_mode()(torch.zeros)(2)),
        lambda thing: torch.inference_mode()(thing.x.fill_)(1),
    ),
    "a large list": (lambda: Counted([0] * 9999), lambda thing: thing.x.__setitem__(0, 1)),
    "an exception": (lambda: ValueError(1), lambda thing: setattr(thing, "args", (2,))),
    "bytes": (lambda: Counted(bytearray(b"a")), lambda thing: thing.x.append(99)),
}


@pytest.mark.parametrize(("make", "change"), CHANGES.values(), ids=CHANGES)
def test_a_changed_object_shows_its_new_text(
    make: Callable[[], Any], change: Callable[[Any], object]
) -> None:
    texts, thing = Texts(), make()
    assert texts.short(thing, 200)[:190] == repr(thing)[:190]
    change(thing)
    texts.look_again()
    assert texts.short(thing, 200)[:190] == repr(thing)[:190]


def test_a_class_whose_repr_is_slow_is_not_shown_beyond_its_budget() -> None:
    now = 0.0

    class Slow:
        def __repr__(self) -> str:
            nonlocal now
            now += 3
            return "slow"

    texts = Texts(budget=5, clock=lambda: now)
    kept = [Slow() for _ in range(4)]
    assert [texts.short(each) for each in kept] == ["slow"] * 2 + ["<Slow not shown>"] * 2
    assert texts.short(kept[0]) == "slow"
    assert texts.short(Decimal(3)) == "Decimal('3')"
    assert now == 6


class Own(np.float64):
    def __repr__(self) -> str:
        CALLS.append(id(self))
        return "own"


def test_scalars_of_subclasses_show_their_own_text() -> None:
    assert short(np.ma.masked) == "masked"
    assert "3.5" in short(np.ma.array(3.5))
    texts, number = Texts(), Own(3)
    CALLS.clear()
    assert [texts.short(number) for _ in range(3)] == ["own"] * 3
    assert len(CALLS) == 1
