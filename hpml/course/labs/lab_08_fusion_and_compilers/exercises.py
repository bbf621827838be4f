"""The exercises of lab 08: bytes moved, a kernel, a decision in one graph."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hpml.course.labs.lab_08_fusion_and_compilers.harness import (
    branches,
    in_one_graph,
    matrices,
    rows_shown,
    timed_matrices,
    written_to_out,
)
from hpml.course.labs.lab_08_fusion_and_compilers.rungs import reference
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Speed, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Raised, Returned, observed, symptom
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
    names = ["x", "y", "z"]
    ops: list[tuple[str, list[str]]] = []
    for place in range(generator.randint(2, 6)):
        # Always the last result, so that few results are unused.
        near = [names[-1], *generator.choices(names, k=generator.randint(0, 4))]
        generator.shuffle(near)
        ops.append((f"t{place}", near))
        names.append(f"t{place}")
    return ops, {
        name: tuple(generator.randint(1, 50) for _ in range(generator.randint(1, 4)))
        for name in names
    }


def _byte_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    line = dict.fromkeys("xyabc", (5,))
    shapes = {
        "x": (2, 3, 1, 2, 2),
        "y": (0, 3),
        "n": (),
        "a": (3, 2),
        "b": (4,),
        "c": (70_000,) * 2,
    }
    parts = dict.fromkeys(["k", "k1", "k11", "kk"], (3,))
    lecture = {"x": (10, 1), "y": (1, 10), "xy": (10, 10), "scaled": (10, 10), "shifted": (10, 10)}
    cases = [
        *_moving("one operation", [("a", ["x"])], line),
        *_moving("the lecture's three",
                 [("xy", ["x", "y"]), ("scaled", ["xy"]), ("shifted", ["scaled"])], lecture),
        *_moving("an operand used twice", [("a", ["x", "x"])], line),
        *_moving("an input that two operations read", [("a", ["x"]), ("b", ["a", "x"])], line),
        *_moving("an input that is never read", [("b", ["y"])], line),
        *_moving("a sum, a single number", [("a", ["x"]), ("s", ["a"])], line | {"s": (1,)}),
        *_moving("operands that alternate", [("a", ["x", "y", "x", "y"]), ("b", ["a", "x", "a"])],
                 line),
        *_moving("arrays of many shapes", [("a", ["x", "y"]), ("b", ["n", "a"]), ("c", ["b", "x"])],
                 shapes),
        *_moving("results that nobody reads", [("a", ["x"]), ("b", ["y"]), ("c", ["x"])], line),
        *_moving("an operation without operands", [("a", []), ("b", ["x", "a"])], line),
        *_moving("names that begin alike",
                 [("k1", ["k"]), ("kk", ["k", "k1"]), ("k11", ["kk", "k"])], parts),
        *_moving("the last result, not the last name", [("z", ["x", "y"]), ("a", ["z", "x"])],
                 line | {"z": (7, 2)}),
    ]  # fmt: skip
    for number in range(6 if more else 1):
        cases += _moving(f"drawn, number {number + 1}", *_drawn_ops(generator))
    return cases


_BYTES_MOVED = Exercise(
    name="bytes_moved",
    minutes=8,
    parts={"one by one": 1, "fused": 1},
    cases=_byte_cases,
    judge=expect(lambda case: count_bytes(**case.data)),
    forbids=Forbidden(modules=("hpml",), why="Predict the bytes; do not measure them."),
)


def _product(
    name: str,
    generator: random.Random,
    shape: tuple[int, int, int],
    part: str = "right",
    compiled: bool = False,
) -> Case:
    """Return a case with quarters, whose products and sums are exact in any order."""
    n, d, m = shape
    x, y = ([generator.randint(-8, 8) / 4 for _ in range(count)] for count in (n * d, d * m))
    return _product_of(name, x, y, shape, part, compiled)


def _product_of(
    name: str,
    x: Sequence[float],
    y: Sequence[float],
    shape: tuple[int, int, int],
    part: str = "right",
    compiled: bool = False,
) -> Case:
    n, d, m = shape
    data = {"x": list(x), "y": list(y), "shape": shape, "compiled": compiled}
    few = n * d == d * m == n * m == 1
    call = (
        f"product(x=[[{x[0]}]], y=[[{y[0]}]], out)"
        if few
        else (f"product(x, y, out)  # x {(n, d)}, y {(d, m)}, out {(n, m)}")
    )
    return Case(name, data, part, call)


def _product_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    fixed = random.Random(8)
    cases = [
        _product_of("one number", [2.0], [3.0], (1, 1, 1)),
        _product_of("one number, below zero", [-2.0], [3.0], (1, 1, 1)),
        _product_of("nothing to multiply", [0.0], [3.0], (1, 1, 1)),
        _product("a square of 4", fixed, (4, 4, 4)),
        _product("a square of 8", fixed, (8, 8, 8)),
        _product("a row", fixed, (1, 4, 8)),
        _product("a column", fixed, (8, 4, 1)),
        _product("one number from many", fixed, (1, 9, 1)),
        _product("many numbers from one each", fixed, (5, 1, 6)),
        _product("rows only", fixed, (16, 2, 3)),
        _product("odd numbers of rows and columns", fixed, (5, 7, 9)),
        _product("prime numbers of rows and columns", fixed, (13, 11, 17)),
        _product("more to add than a block of 16", fixed, (3, 37, 2)),
        _product("no rows", fixed, (0, 3, 4)),
        _product("no columns", fixed, (3, 4, 0)),
        _product("nothing to add up", fixed, (3, 0, 4)),
        *(_product(f"{n}, {d} and {m}", generator, (n, d, m))
          for n, d, m in ((2, 3, 5), (3, 2, 6), (6, 5, 3), (7, 6, 4), (4, 9, 2), (9, 10, 7))),
    ]  # fmt: skip
    for number in range(1, 8 if more else 2):
        shape = generator.randint(1, 12), generator.randint(1, 12), generator.randint(1, 12)
        cases.append(_product(f"drawn, number {number}", generator, shape))
    sizes = (13, 19, 35) if not more else (generator.randint(40, 70), 21, generator.randint(60, 90))
    return [*cases, _product("compiled by Numba", generator, sizes, compiled=True)]


def _product_right(case: Case) -> object:
    import numpy as np

    n, d, m = case.data["shape"]
    if "seed" in case.data:
        x, y = timed_matrices(case.data)
        x = x[rows_shown(case.data)]
    else:
        x, y = (np.array(case.data[name], np.float32) for name in "xy")
        x, y = x.reshape(n, d), y.reshape(d, m)
    out = x.astype(float) @ y * 100 + 10
    return {"changed": [], "out": out.astype(np.float32)}


_EXACT = expect(_product_right)


def _judge_product(case: Case, outcome: Outcome) -> Wrong | None:
    found = observed(outcome)
    if found is None or "compiled" not in found:
        return _explained(_EXACT(case, outcome), outcome)
    seen = {name: found[name] for name in found if name not in ("compiled", "operator @")}
    wrong = _EXACT(case, Returned(seen, {}))
    if wrong is not None:
        return _explained(wrong, outcome)
    if found["operator @"]:
        return Wrong("loops that you wrote", "the operator @", "The result is right.")
    if not found["compiled"]:
        return Wrong(
            "a function that Numba compiled", "one that Python interprets", "The result is right."
        )
    return None


def _explained(wrong: Wrong | None, outcome: Outcome) -> Wrong | None:
    """Say what two matrices of one shape, or an index outside an array, do not show."""
    if wrong is not None and wrong.expected == wrong.received:
        return replace(wrong, expected="the numbers of x @ y * 100 + 10", received="other numbers")
    if wrong is not None and isinstance(outcome, Raised) and outcome.type == "IndexError":
        why = "Rows, columns or steps that fill no whole tile need loops of their own."
        return replace(wrong, why=why)
    return wrong


def _product_symptom(case: Case, outcome: Outcome) -> object:
    """Return what was written, or "not compiled"."""
    found = observed(outcome)
    if found is not None and found.get("compiled") is False:
        return "not compiled"
    return symptom(case, outcome)


def _timed_product(generator: random.Random) -> Case:
    data = {"seed": generator.randint(0, 2**31), "shape": (1000, 1000, 1000)}
    return Case("1,000 × 1,000 numbers", data, "speed")


_PRODUCT = Exercise(
    name="product",
    minutes=15,
    parts={"right": 1},
    cases=_product_cases,
    judge=_judge_product,
    symptom=_product_symptom,
    forbids=Forbidden(
        modules=("hpml", "torch"),
        names=("cache", "parallel", "prange", "dot", "vdot", "matmul", "einsum", "tensordot",
               "objmode", "ctypes"),
        why="Numba should compile loops that you wrote, for one thread; a graded cell has no file "
            "for a cache.",
    ),
    arguments=matrices,
    observe=written_to_out,
    keeps_arguments=False,
    seconds=60,
    patience=60,  # compiling, possibly on a busy machine
    packages=("numpy", "numba"),
    # Each step has room for one rung: `tile`, then `blocks`, then `order`, whose ratio is 1.
    speed=Speed(
        points=3, reference=reference, inputs=_timed_product, full=0.55, none=1.25,
        beside="the rung `order` for matrices of 1,000 × 1,000, compiling not counted",
        steps=((0.9, 2), (1.25, 1)),
    ),
)  # fmt: skip


_TESTS = ("x.sum() > 0", "x[0] < x[-1]", "x.max() > 2")
_BRANCHES = ("x * 2", "x - 1", "-x", "x.sqrt()", "1 / x")


def _branch(
    name: str, test: str, yes: str, no: str, inputs: list[Any], compiled: bool = False
) -> Case:
    data = {"test": test, "yes": yes, "no": no, "inputs": inputs, "compiled": compiled}
    call = f"one_graph(lambda x: {test}, lambda x: {yes}, lambda x: {no})"
    call = f"torch.compile({call}, fullgraph=True)" if compiled else call
    return Case(name, data, "one graph" if compiled else "same", f"{call}, called with {inputs}")


def _branch_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    up, down = [1.0, 2.0], [-3.0, 1.0]
    both = [up, down]
    first, *_ = _TESTS
    cases = [
        _branch("a decision", first, "x * 2", "x - 1", both),
        _branch("the branch not taken has no answer", first, "x.sqrt()", "-x", both),
        _branch("the branch taken has no answer", first, "x.sqrt()", "-x", [[-1.0, 4.0]]),
        _branch("the branch not taken is infinite", "x.max() > 2", "1 / x", "x * 2",
                [[3.0, 4.0], [0.0, 1.0], [4.0, 4.0]]),
        _branch("the branch taken is infinite", "x.max() > 2", "1 / x", "x * 2",
                [[0.0, 4.0], [1.0, 0.5]]),
        _branch("many numbers, one and none", first, "x * 2", "x - 1",
                [[1.0, 2.0, 3.0], [-3.0, 1.0, 1.0, -4.0], [5.0], []]),
        _branch("rows and matrices", first, "x * 2", "x - 1",
                [up, [-1.0], [up, [3.0, 4.0]], [down, [-5.0, 1.0]], [[6.0]], [[-1.0], [2.0]]]),
        _branch("single numbers", first, "x.sum()", "x.max()", both),
        _branch("results with more axes", first, "x.unsqueeze(0)", "-x.unsqueeze(0)", both),
        _branch("whole numbers", first, "x.long() * 3", "x.long() - 2**40", both),
        _branch("truth values", first, "x > 1", "x < 1", both),
        _branch("float64", first, "x.double() / 3", "x.double() / 7", both),
        _branch("a decision, compiled", first, "x * 2", "x - 1", both, compiled=True),
        _branch("no answer in the branch not taken, compiled", first, "x.sqrt()", "-x", both,
                compiled=True),
        _branch("more numbers, one and none, compiled", first, "x * 2", "x - 1",
                [[1.0, 2.0, 3.0], [-3.0, 1.0], [5.0], []], compiled=True),
        _branch("whole numbers, compiled", first, "x.long() * 3", "x.long() - 2**40", both,
                compiled=True),
        _branch("single numbers, compiled", first, "x.sum()", "x.max()", both, compiled=True),
    ]  # fmt: skip
    for number in range(8 if more else 2):
        test = generator.choice(_TESTS)
        yes, no = generator.sample(_BRANCHES, 2)
        sizes = [generator.randint(1, 5) for _ in range(4)]
        drawn = [generator.choices([-4.0, -2.0, -1.0, 1.0, 2.0, 4.0], k=size) for size in sizes]
        # At least one input for each answer of each test.
        drawn += [[-4.0, -2.0, -1.0], [4.0, 2.0, 1.0], [1.0, 2.0, 4.0], [-1.0, -2.0, -4.0]]
        compiled = number % 4 == 1
        name = f"drawn, number {number + 1}{', compiled' if compiled else ''}"
        cases.append(_branch(name, test, yes, no, drawn, compiled))
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


_ONE_GRAPH = Exercise(
    name="one_graph",
    minutes=6,
    parts={"same": 1, "one graph": 1},
    cases=_branch_cases,
    judge=expect(_chosen, tolerance=1e-9),  # the same operators on the same numbers
    forbids=Forbidden(
        modules=("hpml",),
        names=("jit", "compile", "cond", "_C"),
        why="The exercise is to use operators that fit into one graph.",
    ),
    arguments=branches,
    observe=in_one_graph,
    seconds=60,
    patience=60,  # the first call imports torch and its compiler
    packages=("numpy", "torch"),
)


EXERCISES: tuple[Exercise, ...] = (_BYTES_MOVED, _PRODUCT, _ONE_GRAPH)
