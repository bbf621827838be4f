"""The exercises of lab 08: bytes moved, a fused kernel, a branch that a trace records."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from hpml.course.labs.lab_08_fusion_and_compilers.harness import (
    after_tracing,
    branches,
    grids,
    moved,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect

Ops = Sequence[tuple[str, Sequence[str]]]


def count_bytes(ops: Ops, shapes: Mapping[str, Sequence[int]], fused: bool) -> int:
    """Return the bytes moved, by simulating the operations with an empty cache."""
    total, near = 0, set[str]()
    for result, operands in ops:
        if not fused:
            near.clear()
        for name in operands:
            if name not in near:
                total += 4 * math.prod(shapes[name])
            near.add(name)
        near.add(result)
        if not fused or result == ops[-1][0]:
            total += 4 * math.prod(shapes[result])
    return total


def _moving(name: str, ops: Ops, shapes: Mapping[str, tuple[int, ...]]) -> list[Case]:
    cases = []
    for fused in (False, True):
        data = {"ops": list(ops), "shapes": dict(shapes), "fused": fused}
        title = f"{name}, {'in one loop' if fused else 'one by one'}"
        cases.append(Case(title, data, "fused" if fused else "one by one"))
    return cases


def _drawn_ops(generator: random.Random) -> tuple[Ops, dict[str, tuple[int, ...]]]:
    shape = tuple(generator.randint(1, 50) for _ in range(generator.randint(1, 3)))
    names = ["x", "y", "z"]
    ops: list[tuple[str, list[str]]] = []
    for place in range(generator.randint(2, 6)):
        # Always the last result, so that few results are unused.
        near = [names[-1], *generator.choices(names, k=generator.randint(0, 2))]
        generator.shuffle(near)
        ops.append((f"t{place}", near))
        names.append(f"t{place}")
    return ops, dict.fromkeys(names, shape)


def _byte_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    line = dict.fromkeys("xyabc", (5,))
    lecture = {"x": (10, 1), "y": (1, 10), "xy": (10, 10), "scaled": (10, 10), "shifted": (10, 10)}
    cases = [
        *_moving("one operation", [("a", ["x"])], line),
        *_moving("the lecture's three",
                 [("xy", ["x", "y"]), ("scaled", ["xy"]), ("shifted", ["scaled"])], lecture),
        *_moving("an operand used twice", [("a", ["x", "x"])], line),
        *_moving("an input that two operations read", [("a", ["x"]), ("b", ["a", "x"])], line),
        *_moving("an input that is never read", [("b", ["y"])], line),
        *_moving("a sum, a single number", [("a", ["x"]), ("s", ["a"])], line | {"s": (1,)}),
    ]  # fmt: skip
    for number in range(6 if more else 1):
        cases += _moving(f"drawn, number {number + 1}", *_drawn_ops(generator))
    return cases


_BYTES_MOVED = Exercise(
    name="bytes_moved",
    parts={"one by one": 1, "fused": 1},
    cases=_byte_cases,
    judge=expect(lambda case: count_bytes(**case.data)),
    forbids=Forbidden(modules=("hpml",), why="Predict the bytes; do not measure them."),
)


def _layer(
    name: str, generator: random.Random, part: str = "right", shape: Sequence[int] | None = None
) -> Case:
    rows, inner, columns = shape or [generator.randint(2, 7) for _ in range(3)]

    def drawn(count: int) -> list[float]:
        return [generator.randint(-8, 8) / 4 for _ in range(count)]

    data = {
        "x": [drawn(inner) for _ in range(rows)],
        "w": [drawn(columns) for _ in range(inner)],
        "b": drawn(columns),
        "counted": part == "one loop",
    }
    call = f"fused(x, w, b, out)  # x {(rows, inner)}, w {(inner, columns)}, out {(rows, columns)}"
    return Case(name, data, part, call)


def _one_number(name: str, x: float, w: float, b: float) -> Case:
    data = {"x": [[x]], "w": [[w]], "b": [b], "counted": False}
    return Case(name, data, "right", f"fused(x=[[{x}]], w=[[{w}]], b=[{b}], out)")


def _layer_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    fixed = random.Random(8)
    cases = [
        _one_number("one number", 2.0, 3.0, 1.0),
        _one_number("one number, negative", 2.0, -3.0, 1.0),
        _one_number("just above zero", 1.0, 0.5, -0.25),
        _layer("a square", fixed, shape=(3, 3, 3)),
        _layer("more rows than columns", fixed, shape=(5, 2, 3)),
        _layer("more columns than rows", fixed, shape=(2, 4, 5)),
        _layer("a row", fixed, shape=(1, 3, 4)),
        _layer("nothing to add up", fixed, shape=(2, 0, 3)),
        _layer("no rows", fixed, shape=(0, 2, 3)),
        _layer("drawn", generator),
        _layer("a wide row", generator, "one loop", (1, 2, 800)),
        _layer("drawn, each number once", generator, "one loop"),
        _layer("a tall column", generator, "one loop", (800, 2, 1)),
        _layer("a long sum", generator, "one loop", (1, 800, 1)),
    ]
    for number in range(5 if more else 0):
        part = ("right", "one loop")[number % 2]
        cases.append(_layer(f"drawn, number {number + 1}", generator, part))
    return cases


def _layer_of(case: Case) -> dict[str, object]:
    data = case.data
    columns = [[row[j] for row in data["w"]] for j in range(len(data["b"]))]
    out = [
        [
            max(0.0, math.fsum([b, *(p * q for p, q in zip(row, column, strict=True))]))
            for column, b in zip(columns, data["b"], strict=True)
        ]
        for row in data["x"]
    ]
    counts = {
        "most writes of a number": 1,
        "reads of out": 0,
        "needless reads of x, w and b": 0,
        "numbers stored elsewhere": False,
    }
    return {"out": out, **(counts if data["counted"] else {})}


_FUSED = Exercise(
    name="fused",
    parts={"right": 1, "one loop": 2},
    cases=_layer_cases,
    judge=expect(_layer_of, tolerance=1e-6),
    forbids=Forbidden(
        modules=("numba", "numpy", "torch", "hpml"),
        calls=("sum", "zip", "map", "enumerate", "list"),
        why="A kernel is loops, indices and arithmetic, in plain Python: a later cell compiles it.",
    ),
    arguments=grids,
    observe=moved,
    keeps_arguments=False,
)


_TESTS = ("x.sum() > 0", "x[0] < x[-1]", "x.max() > 2")
_BRANCHES = ("x * 2", "x - 1", "-x", "x.sqrt()", "1 / x")


def _branch(
    name: str, test: str, yes: str, no: str, example: list[float], inputs: list[list[float]],
    trace: bool = True,
) -> Case:  # fmt: skip
    data = {"test": test, "yes": yes, "no": no, "example": example, "inputs": inputs,
            "trace": trace}  # fmt: skip
    call = f"make_traceable(lambda x: {test}, lambda x: {yes}, lambda x: {no})"
    call = f"torch.jit.trace({call}, torch.tensor({example}))" if trace else call
    return Case(name, data, "traced" if trace else "same", f"{call}, called with {inputs}")


def _branch_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    up, down = [1.0, 2.0], [-3.0, 1.0]
    both = [up, down]
    first, *_ = _TESTS
    cases = [
        _branch("not traced", first, "x * 2", "x - 1", up, both, trace=False),
        _branch("not traced, the branch not taken has no answer", first, "x.sqrt()", "-x", up, both,
                trace=False),
        _branch("traced where it is true", first, "x * 2", "x - 1", up, both),
        _branch("traced where it is false", first, "x * 2", "x - 1", down, both),
        _branch("the branch not taken has no answer", first, "x.sqrt()", "-x", up, both),
        _branch("the branch taken has no answer", first, "x.sqrt()", "-x", up, [[-1.0, 4.0]]),
        _branch("the branch not taken is infinite", "x.max() > 2", "1 / x", "x * 2",
                [3.0, 4.0], [[3.0, 4.0], [0.0, 1.0], [4.0, 4.0]]),
    ]  # fmt: skip
    for number in range(8 if more else 2):
        test = generator.choice(_TESTS)
        yes, no = generator.sample(_BRANCHES, 2)
        drawn = [generator.choices([-4.0, -2.0, -1.0, 1.0, 2.0, 4.0], k=3) for _ in range(4)]
        # At least one input for each answer of each test.
        drawn += [[-4.0, -2.0, -1.0], [4.0, 2.0, 1.0], [1.0, 2.0, 4.0], [-1.0, -2.0, -4.0]]
        trace = number % 4 != 1
        cases.append(_branch(f"drawn, number {number + 1}", test, yes, no,
                             generator.choice(drawn), drawn, trace))  # fmt: skip
    return cases


def _chosen(case: Case) -> list[Any]:
    import torch

    data = case.data
    given = branches(data)
    found = []
    for numbers in data["inputs"]:
        x = torch.tensor(numbers)
        found.append(given["yes" if given["test"](x) else "no"](x).tolist())
    return found


_MAKE_TRACEABLE = Exercise(
    name="make_traceable",
    parts={"same": 1, "traced": 2},
    cases=_branch_cases,
    judge=expect(_chosen, tolerance=1e-6),
    forbids=Forbidden(
        modules=("hpml",), names=("jit", "compile", "cond", "_C"),
        why="The exercise is to use operators that a trace can record.",
    ),
    arguments=branches,
    observe=after_tracing,
    seconds=60,
    patience=60,  # the first call imports torch
    packages=("numpy", "torch"),
)  # fmt: skip


EXERCISES: tuple[Exercise, ...] = (_BYTES_MOVED, _FUSED, _MAKE_TRACEABLE)
