"""The exercises of lab 13: dead gradients, saved bytes, and the backward of FastSwish."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hpml.course.labs.lab_13_activations.harness import (
    ACTIVATIONS,
    BETWEEN_501,
    BETWEEN_1000,
    activation_and_interval,
    numbers_of,
    tensors,
    truth_of,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, observed, symptom
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
        _interval("alive only in the middle", "F.hardtanh(100 * x)", -1.5, 1.5, "nearly"),
        _interval("alive beside the 500th of 1,000 numbers", BETWEEN_1000, 0.0, 1000.0, "nearly"),
        _interval("alive beside the 251st of 501 numbers", BETWEEN_501, 0.0, 1000.0, "nearly"),
        _interval("a tiny gradient", "x * 1e-30", -1.0, 1.0, "nearly"),
        _interval("a tiny negative gradient", "1 - x * 1e-30", 1.0, 2.0, "nearly"),
        _interval("not a number at the first point", "(x * x).sqrt() * 0", 0.0, 2.0, "nearly"),
        _interval("not a number at the last point", "(x * x).sqrt() * 0", -2.0, 0.0, "nearly"),
        _interval("dead, and close to what lives", relu, -1.0, -1e-6),
        _interval("a single number", "F.hardswish(x)", -4.0, -4.0),
        _interval("a single number that lives", relu, 4.0, 4.0, "nearly"),
        _interval("alive in one thousandth", "F.hardtanh(x)", -700.0, 900.0, "nearly"),
        _interval("not a number", "torch.where(x < 0, 1 / (x - x), x)", 1.0, 2.0, "nearly"),
    ]
    for number in range(12 if more else 4):
        # The answers for the others depend on precision and on the points.
        text = generator.choice([*ACTIVATIONS][7:])
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
    minutes=6,
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
        "no operation": [],
        "a reciprocal of a sum": [("a", "add", ("x", 3)), ("out", "reciprocal", ("a",))],
        "a reciprocal of a reciprocal": [("a", "reciprocal", ("x",)), ("b", "reciprocal", ("a",))],
        "a reciprocal of what is saved": [("a", "exp", ("x",)), ("out", "reciprocal", ("a",))],
        "ReLU of what is saved": [("a", "reciprocal", ("x",)), ("out", "relu", ("a",))],
        "an exponential of what is saved": [("a", "relu", ("x",)), ("out", "exp", ("a",))],
        "a clamp of what is saved": [("a", "exp", ("x",)), ("out", "clamp", ("a", 3))],
        "an exponential of a sum": [("a", "add", ("x", "x")), ("out", "exp", ("a",))],
        "ReLU of a ReLU": [("a", "relu", ("x",)), ("out", "relu", ("a",))],
        "a clamp of a sum": [("a", "add", (3, "x")), ("out", "clamp", ("a", -2))],
        "a number times a tensor": [("a", "mul", (0.5, "x")), ("out", "mul", ("a", -2))],
        "a product of results": [
            ("a", "add", ("x", 1)), ("b", "mul", ("x", 2)), ("out", "mul", ("a", "b")),
        ],
        "results that nobody reads": [("a", "exp", ("x",)), ("b", "relu", ("x",))],
        "names like those of operations": [
            ("mul", "exp", ("x",)), ("x1", "mul", ("mul", "x")), ("less", "mul", ("x1", "mul")),
        ],
        "a product of two numbers after all": [("a", "mul", ("x", 0)), ("b", "mul", (1, "a"))],
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
        "one choice for two": [
            mask, ("a", "where", ("low", "x", 1)), ("out", "where", ("low", 2, "a")),
        ],
        "a choice between numbers and x": [mask, ("out", "where", ("low", 1.0, "x"))],
        "a comparison of results": [
            ("a", "add", ("x", 1)), ("low", "less", ("a", "x")), ("out", "mul", ("x", "low")),
        ],
        "a comparison alone": [mask],
        "only what needs no gradient": [
            mask, ("a", "add", ("low", "low")), ("b", "mul", ("a", "a")), ("c", "relu", ("b",)),
            ("d", "reciprocal", ("c",)), ("e", "clamp", ("d", 2)), ("f", "hardswish", ("e",)),
            ("g", "where", ("low", "f", "e")), ("h", "less", ("g", "f")), ("i", "exp", ("a",)),
        ],
        "a sum that needs a gradient by one operand": [
            mask, ("a", "add", ("low", "x")), ("out", "exp", ("a",)),
        ],
        "a product with what a choice made": [
            mask, ("a", "mul", ("low", 3)), ("b", "mul", ("a", "x")), ("c", "mul", ("x", "a")),
        ],
        "a product of two choices": [
            mask, ("high", "less", (3, "x")), ("a", "mul", ("low", "high")),
            ("out", "mul", ("a", "x")),
        ],
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
    minutes=10,
    parts={"tensors": 2, "choices": 1},
    cases=_operation_cases,
    judge=expect(lambda case: kept(case.data["operations"])),
    forbids=Forbidden(modules=("hpml", "torch"), why="Predict the bytes; do not measure them."),
)


def _backward_case(
    name: str,
    x: Sequence[float],
    grad: Sequence[float],
    part: str = "right",
    shape: Sequence[int] | None = None,
    dtype: str = "float32",
) -> Case:
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
        _backward_case("the example", [-4.0, 0.0, 5.0], [1.0, 2.0, 3.0]),
        _backward_case("beside the joints", [-2.0 - 2.0**-20, -2.0 + 2.0**-20, 3.0 - 2.0**-20],
                       [1.0, -1.0, 2.0]),
        _backward_case("small and large gradients", [-4.0, 0.0, 5.0], [1e-30, -1e-30, 1e30]),
        _backward_case("different gradients", wide, [float(n) for n in range(-4, 5)]),
        _backward_case("at zero", [0.0, -0.0, 1.0], [1.0, 2.0, 3.0], "every input"),
        _backward_case("far out", far, [1.0] * 4, "every input"),
        _backward_case("a matrix", wide[:6], ones[:6], "every input", (2, 3)),
        _backward_case("no dimension", [-4.0], [3.0], "every input", ()),
        _backward_case("empty", [], [], "every input", (0, 3)),
        _backward_case(
            "float64", [*wide, 3 - 2**-30], [*ones, 1.0], "every input", dtype="float64"
        ),
        _backward_case("float64, far out", far, [1.0, -1.0, 2.0, 3.0], "every input", (4,),
                       "float64"),
        _backward_case("float64, to ten digits", [-3.0, 0.1, 0.7], [1.0, 1.0, 1.0], "every input",
                       dtype="float64"),
        _backward_case("bfloat16", [*wide, 3.0], [1.0] * 10, "every input", dtype="bfloat16"),
        _backward_case("float16", [*wide, 3.0, 0.0], [2.0] * 11, "every input", dtype="float16"),
        _backward_case("float16, infinite", [*far[:2], -300.0], [1.0] * 3, "every input", (3, 1),
                       "float16"),
        _backward_case("one number", [3.0], [-2.0], "every input", (1,)),
        _backward_case("five axes", wide[:8], [float(n) for n in range(8)], "every input",
                       (2, 1, 2, 2, 1)),
        _backward_case("empty float64", [], [], "every input", (2, 0, 1), "float64"),
    ]  # fmt: skip
    for number in range(6 if more else 2):
        # Multiples of 1/8 without -1.5, where the slope is 0.
        x = [float(generator.choice([n for n in range(-64, 65) if n != -12])) / 8 for _ in range(8)]
        grad = [float(generator.choice([-3, -1, 0, 1, 2, 5])) for _ in range(8)]
        dtype = generator.choice(["float32", "float64", "bfloat16"])
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
    numbers = [grad * _slope(x) for x, grad in zip(data["x"], data["grad"], strict=True)]
    return {"numbers": numbers, "shape": data["shape"], "dtype": f"torch.{data['dtype']}"}


_ROUNDING = {"float64": 1e-12, "float32": 2e-6, "float16": 4e-3, "bfloat16": 3e-2}
"""The relative difference that the order of operations may make."""
_SMALLEST = {"float64": 1e-300, "float32": 1e-37, "float16": 1e-4, "bfloat16": 1e-37}
"""What may become 0: the left slope at the numbers of this size that a format has."""


def _backward_symptom(case: Case, outcome: Outcome) -> object:
    """Return the numbers to digits that no order of operations changes."""
    found = observed(outcome)
    if found is None:
        return symptom(case, outcome)
    digits = 2 if "16" in case.data["dtype"] else 4
    return {**found, "numbers": [float(f"{each:.{digits}g}") for each in found["numbers"]]}


def _judge_backward(case: Case, outcome: Outcome) -> Wrong | None:
    dtype = case.data["dtype"]
    judge = expect(_backward, tolerance=_ROUNDING[dtype], absolute=_SMALLEST[dtype])
    return judge(case, outcome)


_FAST_SWISH_BACKWARD = Exercise(
    name="fast_swish_backward",
    minutes=7,
    parts={"right": 2, "every input": 1},
    cases=_backward_cases,
    judge=_judge_backward,
    symptom=_backward_symptom,
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
