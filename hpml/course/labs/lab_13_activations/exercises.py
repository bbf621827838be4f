"""The exercises of lab 13: dead gradients, saved bytes, and the backward of FastSwish."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hpml.course.labs.lab_13_activations.harness import (
    ACTIVATIONS,
    activation_and_interval,
    numbers_of,
    tensors,
    truth_of,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect

Operations = Sequence[tuple[str, str, Sequence[str | float]]]


def _interval(name: str, text: str, low: float, high: float, part: str = "right") -> Case:
    call = f"gradient_dies(lambda x: {text}, ({low}, {high}))"
    return Case(name, {"activation": text, "interval": (low, high)}, part, call)


def _interval_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    relu, fast = "F.relu(x)", next(text for text in ACTIVATIONS if "clamp" in text)
    cases = [
        _interval("ReLU on the left", relu, -2.0, -1.0),
        _interval("HardSwish, dead in a part", "F.hardswish(x)", -9.0, -1.0),
        _interval("a constant that is not 0", "F.relu6(x)", 7.0, 9.0),
        _interval("a hill", "F.relu(1 - x.abs())", -3.0, 3.1),
        _interval("as much up as down", "x * x", -1.0, 1.0),
        _interval("one single zero", "x ** 3", -1.0, 1.0, "nearly"),
        _interval("FastSwish, far out", fast, -2000.0, -1000.0, "nearly"),
        _interval("GELU, far out", "F.gelu(x)", -30.0, -20.0, "nearly"),
        _interval("falling, then flat", "F.relu(1 - x.abs())", 0.5, 9.0, "nearly"),
        _interval("close to a zero", "x ** 3", 1e-8, 1e-6, "nearly"),
        _interval("values all 1", "1 + torch.exp(x)", -60.0, -50.0, "nearly"),
        _interval("alive only at the last point", relu, -18.0, 0.001, "nearly"),
        _interval("alive only at the first point", "F.hardtanh(x)", 0.999, 18.0, "nearly"),
        _interval("alive only in the middle", "F.hardtanh(1000 * x)", -1.5, 1.5, "nearly"),
        _interval("alive in one thousandth", "F.hardtanh(x)", -700.0, 900.0, "nearly"),
        _interval("not a number", "torch.where(x < 0, 1 / (x - x), x)", 1.0, 2.0, "nearly"),
    ]
    for number in range(12 if more else 4):
        # The answers for the first two depend on precision and on the points.
        text = generator.choice([*ACTIVATIONS][2:])
        # No end is at a joint; a gradient that lives is not 0 on at least 1 % of the interval.
        low = generator.randint(-18, 16) + 0.5
        high = low + generator.randint(1, int(18.5 - low))
        part = ("right", "nearly")[number % 2]
        cases.append(_interval(f"drawn, number {number + 1}", text, low, high, part))
    return cases


def _dies(case: Case) -> bool:
    """Look the dead intervals up, without computing a gradient."""
    low, high = case.data["interval"]
    return any(a < low and high < b for a, b in ACTIVATIONS[case.data["activation"]])


_GRADIENT_DIES = Exercise(
    name="gradient_dies",
    parts={"right": 1, "nearly": 1},
    cases=_interval_cases,
    judge=expect(_dies),
    forbids=Forbidden(modules=("hpml",), why="The exercise is to look at the gradients."),
    arguments=activation_and_interval,
    observe=truth_of,
    seconds=60,
    patience=60,  # the first call imports torch
    packages=("numpy", "torch"),
)


def kept(operations: Operations) -> int:
    """Return the bytes per element that autograd saves."""
    produced = {result: (operation, operands) for result, operation, operands in operations}

    def needed(name: object) -> bool:
        if name not in produced:
            return name == "x"
        operation, operands = produced[str(name)]
        return operation != "less" and any(map(needed, operands))

    saved: set[object] = set()
    for result, operation, operands in operations:
        if not needed(result):
            continue
        if operation == "mul":
            pairs = zip(operands, reversed(operands), strict=True)
            saved |= {one for one, other in pairs if needed(other) and isinstance(one, str)}
        elif operation in ("reciprocal", "relu", "exp"):
            saved.add(result)
        elif operation in ("clamp", "hardswish", "where"):
            saved.add(operands[0])
    return sum(1 if produced.get(str(name), ("",))[0] == "less" else 4 for name in saved)


_FAST_SWISH: Operations = (
    ("low", "clamp", ("x", -2)),
    ("three", "mul", (3, "low")),
    ("over", "reciprocal", ("three",)),
    ("left", "mul", ("over", 2)),
    ("shifted", "add", ("x", 3)),
    ("product", "mul", ("x", "shifted")),
    ("middle", "mul", ("product", 1 / 6)),
    ("is_left", "less", ("x", -2)),
    ("is_middle", "less", ("x", 3)),
    ("rest", "where", ("is_middle", "middle", "x")),
    ("out", "where", ("is_left", "left", "rest")),
)


def _drawn_operations(generator: random.Random) -> Operations:
    names, flags = ["x"], list[str]()
    operations: list[tuple[str, str, Sequence[str | float]]] = []
    kinds = ["add", "mul", "reciprocal", "relu", "exp", "clamp", "hardswish", "less", "where"]
    for place in range(generator.randint(3, 8)):
        kind, one, other = generator.choice(kinds), names[-1], generator.choice(names)
        if kind == "where" and not flags:
            kind = "less"
        operands: dict[str, tuple[str | float, ...]] = {
            "add": (one, (other, 3)[generator.randrange(2)]),
            "mul": ((one, other), (2, one), (one, 6))[generator.randrange(3)],
            "clamp": (one, -2),
            "less": (one, 3),
            "where": (*flags[-1:], one, other),
        }
        result = f"t{place}"
        operations.append((result, kind, operands.get(kind, (one,))))
        (flags if kind == "less" else names).append(result)
    return operations


def _operation_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    mask, drawn = ("low", "less", ("x", -2)), f"t{generator.randint(1, 9)}"
    tensors: dict[str, Operations] = {
        "ReLU": [("out", "relu", ("x",))],
        "HardSwish": [("out", "hardswish", ("x",))],
        "numbers only": [("a", "add", ("x", 3)), ("out", "mul", ("a", 6))],
        "a product": [("a", "add", ("x", 3)), ("out", "mul", ("x", "a"))],
        "a square": [("out", "mul", ("x", "x"))],
        "one tensor for two": [
            ("a", "clamp", ("x", -2)), ("b", "hardswish", ("x",)), ("out", "add", ("a", "b")),
        ],
        "a result that the next one reads": [("a", "exp", ("x",)), ("out", "hardswish", ("a",))],
        "a drawn product": [(drawn, "exp", ("x",)), ("out", "mul", (drawn, "x"))],
    }  # fmt: skip
    choices: dict[str, Operations] = {
        "a choice": [mask, ("out", "where", ("low", "x", "x"))],
        "a product with a choice": [mask, ("out", "mul", ("low", "x"))],
        "a choice, shifted": [
            mask, ("a", "add", ("low", 3)), ("b", "exp", ("a",)), ("out", "mul", ("x", "b")),
        ],
        "a choice of numbers": [
            mask, ("a", "where", ("low", 1.0, 0.0)), ("out", "mul", ("a", "x")),
        ],
        "a drawn choice": [mask, ("out", "where", ("low", "x", generator.randint(1, 9)))],
        "FastSwish": _FAST_SWISH,
    }  # fmt: skip
    cases = [
        Case(name, {"operations": list(operations)}, part)
        for part, known in (("tensors", tensors), ("choices", choices))
        for name, operations in known.items()
    ]
    for number in range(10 if more else 2):
        operations = _drawn_operations(generator)
        part = "choices" if any(kind == "less" for _, kind, _ in operations) else "tensors"
        cases.append(Case(f"drawn, number {number + 1}", {"operations": operations}, part))
    return cases


_SAVED_BYTES_OF = Exercise(
    name="saved_bytes_of",
    parts={"tensors": 2, "choices": 1},
    cases=_operation_cases,
    judge=expect(lambda case: kept(case.data["operations"])),
    forbids=Forbidden(modules=("hpml", "torch"), why="Predict the bytes; do not measure them."),
)


def _backward_case(
    name: str, x: Sequence[float], grad: Sequence[float], part: str = "right",
    shape: Sequence[int] | None = None, dtype: str = "float32",
) -> Case:  # fmt: skip
    shape = [len(x)] if shape is None else list(shape)
    data = {"x": list(x), "grad": list(grad), "shape": shape, "dtype": dtype}
    call = f"fast_swish_backward(x={list(x)}, grad={list(grad)})  # {tuple(shape)}, {dtype}"
    return Case(name, data, part, call)


def _backward_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    wide = [-9.0, -4.0, -2.25, -1.0, 0.5, 2.0, 2.75, 4.0, 9.0]
    far = [float("inf"), -float("inf"), 1e30, -1e30]
    ones = [1.0] * 9
    cases = [
        _backward_case("the slope", wide, ones),
        _backward_case("the joints", [-2.0, 3.0], [1.0, 1.0]),
        _backward_case("different gradients", wide, [float(n) for n in range(-4, 5)]),
        _backward_case("at zero", [0.0, -0.0, 1.0], [1.0, 2.0, 3.0], "every input"),
        _backward_case("far out", far, [1.0] * 4, "every input"),
        _backward_case("a matrix", wide[:6], ones[:6], "every input", (2, 3)),
        _backward_case("no dimension", [-4.0], [3.0], "every input", ()),
        _backward_case("empty", [], [], "every input", (0, 3)),
        _backward_case(
            "float64", [*wide, 3 - 2**-30], [*ones, 1.0], "every input", dtype="float64"
        ),
    ]
    for number in range(6 if more else 2):
        # Multiples of 1/8 without -1.5, where the slope is 0.
        x = [float(generator.choice([n for n in range(-64, 65) if n != -12])) / 8 for _ in range(8)]
        grad = [float(generator.choice([-3, -1, 0, 1, 2, 5])) for _ in range(8)]
        dtype = generator.choice(["float32", "float64"])
        name = f"drawn, number {number + 1}"
        if number % 2:
            cases.append(_backward_case(name, x, grad, "every input", (2, 2, 2), dtype))
        else:
            cases.append(_backward_case(name, x, grad))
    return cases


def _slope(x: float) -> float:
    if x < -2:
        return -2 / 3 / x / x
    return (2 * x + 3) / 6 if x < 3 else 1.0


def _backward(case: Case) -> dict[str, Any]:
    data = case.data
    products = [grad * _slope(x) for x, grad in zip(data["x"], data["grad"], strict=True)]
    numbers = [float(f"{each:.6g}") for each in products]
    return {"numbers": numbers, "shape": data["shape"], "dtype": f"torch.{data['dtype']}"}


_FAST_SWISH_BACKWARD = Exercise(
    name="fast_swish_backward",
    parts={"right": 2, "every input": 1},
    cases=_backward_cases,
    judge=expect(_backward, tolerance=1e-5),
    forbids=Forbidden(
        modules=("hpml",),
        names=("autograd", "backward", "requires_grad", "requires_grad_", "func", "jvp", "vjp"),
        why="The exercise is to write the derivative; autograd would compute it.",
    ),
    arguments=tensors,
    observe=numbers_of,
    seconds=60,
    patience=60,
    packages=("numpy", "torch"),
)

EXERCISES: tuple[Exercise, ...] = (_GRADIENT_DIES, _SAVED_BYTES_OF, _FAST_SWISH_BACKWARD)
