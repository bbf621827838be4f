"""The exercises of lab 14: the best setting, quantisation, loop-invariant values."""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping, Sequence

from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect

Times = Mapping[str, Sequence[float]]
Edges = Mapping[str, Sequence[str]]


def _drawn_times(generator: random.Random, settings: int, rounds: int) -> dict[str, list[float]]:
    """Return times with a common drift, some of them close, some with an outlier."""
    drift = [generator.uniform(1, 2) for _ in range(rounds)]
    table = {}
    for place in range(settings):
        speed = generator.choice([1.0, 1.01, 1.05, 1.4])
        noise = generator.choice([0.01, 0.05])
        times = [round(speed * each * generator.uniform(1, 1 + noise), 4) for each in drift]
        if generator.random() < 0.4:
            times[generator.randrange(rounds)] *= 6
        table[f"setting {place + 1}"] = times
    return table


def _setting_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    tables: list[tuple[str, str, dict[str, list[float]]]] = [
        ("a clear winner", "best", {"off": [9.0] * 5, "all": [2.0, 2.1, 2.2, 2.0, 2.1]}),
        ("one lucky round", "best", {"lucky": [1.0, 9.0, 9.0, 9.0], "steady": [5.0] * 4}),
        ("one great outlier", "best", {"good": [4.0, 4.0, 4.0, 99.0], "even": [5.0] * 4}),
        ("two with the same median", "best", {"b": [2.0, 2.0, 2.0], "a": [1.0, 2.0, 3.0]}),
        ("a drift that affects both alike", "rivals",
         {"slow": [1.1, 2.2, 3.3, 4.4, 5.5, 6.6], "fast": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}),
        ("wins in three quarters of the rounds", "rivals",
         {"a": [1.0, 1.0, 1.0, 3.0], "b": [2.0] * 4}),
        ("eight wins of eleven", "rivals", {"a": [1.0] * 8 + [3.0] * 3, "b": [2.0] * 11}),
        ("a draw is not a win", "rivals", {"a": [1.0] * 4, "b": [1.0, 2.0, 2.0, 2.0],
                                           "c": [1.0, 1.0, 2.0, 2.0]}),
        ("rounds that must not be sorted", "rivals",
         {"a": [1.0, 2.0, 3.0, 4.0, 5.0], "b": [5.5, 1.5, 2.5, 3.5, 4.5]}),
        ("two rivals, in the order of the table", "rivals",
         {"z": [1.0, 3.0, 1.0, 3.0], "c": [2.0, 2.0, 2.0, 2.0], "b": [9.0] * 4,
          "a": [1.9, 1.9, 2.0, 2.0]}),
        ("the lower of two middle times", "best", {"a": [1.0, 9.0], "b": [4.0, 5.0]}),
        ("the higher of two middle times", "best", {"a": [4.0, 8.0], "b": [5.0, 6.5]}),
        ("four times, two in the middle", "best",
         {"a": [1.0, 2.0, 9.0, 9.0], "b": [3.0, 5.0, 5.2, 9.0], "c": [1.0, 4.0, 6.0, 7.0]}),
        ("one setting", "best", {"only": [2.0, 1.0, 3.0]}),
        ("one round", "rivals", {"a": [2.0], "b": [1.0], "c": [1.0], "d": [3.0]}),
        ("times that hardly differ", "rivals",
         {"b": [1.0 + 1e-12] * 4, "a": [1.0] * 4, "c": [1.0 + 1e-15] * 4}),
        ("nanoseconds", "rivals", {"a": [3e-9, 2e-9, 3e-9], "b": [4e-9, 3e-9, 4e-9]}),
        ("half of the rounds", "rivals", {"a": [1.0, 1.0, 3.0, 3.0], "b": [2.0, 2.0, 2.9, 2.9]}),
        ("seventy-five of a hundred", "rivals",
         {"a": [1.0] * 75 + [3.0] * 25, "b": [2.0] * 100, "c": [2.0] * 74 + [0.5] * 26}),
        ("rivals on both sides of the best", "rivals",
         {"d": [2.0, 2.0, 0.5], "c": [1.0] * 3, "a": [2.0, 0.5, 2.0], "b": [3.0] * 3}),
        ("the better rival last", "rivals",
         {"c": [3.0] * 5, "a": [1.0, 9.0, 1.0, 9.0, 1.0], "b": [2.0] * 5}),
        ("every other setting is a rival", "rivals",
         {"b": [1.0, 1.0, 1.0], "a": [1.0, 1.0, 1.0], "c": [0.5, 1.5, 1.5]}),
    ]  # fmt: skip
    for number in range(8 if more else 2):
        drawn = _drawn_times(generator, generator.randint(3, 5), generator.randint(7, 20))
        part = "rivals" if number % 2 else "best"
        tables.append((f"drawn, number {number + 1}", part, drawn))
    return [Case(name, {"table": table}, part) for name, part, table in tables]


def _best(case: Case) -> tuple[str, list[str]]:
    table: Times = case.data["table"]
    least = min(statistics.median(times) for times in table.values())
    best = next(name for name, times in table.items() if statistics.median(times) == least)
    wins = {n: sum(map(float.__lt__, table[best], times)) for n, times in table.items()}
    return best, [n for n in table if n != best and 4 * wins[n] < 3 * len(table[n])]


_BEST_SETTING = Exercise(
    name="best_setting",
    minutes=7,
    parts={"best": 1, "rivals": 2},
    cases=_setting_cases,
    judge=expect(_best),
    forbids=Forbidden(
        modules=("hpml", "torch"), why="The exercise is to write the rule; plain Python is enough."
    ),
)


def _numbers(name: str, x: list[float], bits: int, part: str = "right") -> Case:
    return Case(f"{name}, {bits} bits", {"x": x, "bits": bits}, part)


def _away_from_ties(x: Sequence[float], bits: int) -> bool:
    scale = max(map(abs, x)) / (2 ** (bits - 1) - 1)
    return all(abs(abs(value / scale) % 1 - 0.5) > 1e-6 for value in x)


def _quantise_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    cases = [
        _numbers("three numbers", [0.3, -1.0, 0.26], 8),
        _numbers("the largest is negative", [0.3, -2.0, 1.1], 8),
        _numbers("few bits", [1.0, 0.6, 0.4, -0.3], 3),
        _numbers("two bits", [5.0, -4.0, 2.0, -1.0], 2),
        _numbers("one number", [0.25], 8),
        _numbers("tiny numbers", [3e-12, -1e-11, 2.6e-12], 8),
        _numbers("far smaller", [3e-301, -1e-300, 2.6e-301], 8),
        _numbers("one tiny number", [1e-13], 8),
        _numbers("large numbers", [3e299, -1e300, 2.6e299], 8),
        _numbers("beside a large number", [1e-13, 1e300, -1e290], 4),
        _numbers("many bits", [0.3, -1.0, 0.26, 0.7], 24),
        _numbers("one negative number", [-0.75], 4),
        _numbers("negative numbers only", [-0.31, -1.0, -0.26], 5),
        _numbers("just above and below the middle", [127.0, 3.49, 3.51, -3.49, -3.51], 8),
        _numbers("the largest twice", [2.0, -2.0, 2.0, 0.3], 2),
        _numbers("zeros of both signs", [0.0, -0.0], 8, "zeros"),
        _numbers("zeros, many bits", [0.0] * 3, 24, "zeros"),
        _numbers("small numbers", [3e-4, -1e-3, 2.6e-4], 8),
        _numbers("nothing but zeros", [0.0, 0.0, 0.0], 8, "zeros"),
        _numbers("zeros among others", [0.0, 3.0, 0.0], 8),
        _numbers("one zero", [0.0], 4, "zeros"),
    ]
    count, bits = generator.randint(2, 9), generator.randint(2, 12)
    cases.append(_numbers(f"{count} zeros", [0.0] * count, bits, "zeros"))
    for number in range(6 if more else 2):
        while True:
            bits, size = generator.randint(2, 10), 10 ** generator.uniform(-3, 2)
            x = [round(generator.gauss(0, size), 5) for _ in range(generator.randint(2, 12))]
            if any(x) and _away_from_ties(x, bits):
                break
        cases.append(_numbers(f"drawn, number {number + 1}", x, bits))
    return cases


def nearest(x: Sequence[float], bits: int) -> tuple[list[int], float]:
    """Return the nearest integers and their scale, as `quantise` is asked to.

    >>> nearest([0.5, -4.0], 3)
    ([0, -3], 1.3333333333333333)
    """
    scale = max(map(abs, x)) / (2 ** (bits - 1) - 1) or 1.0
    return [round(value / scale) for value in x], scale


def _quantised(case: Case) -> tuple[list[int], float]:
    return nearest(case.data["x"], case.data["bits"])


_QUANTISE = Exercise(
    name="quantise",
    minutes=6,
    parts={"right": 2, "zeros": 1},
    cases=_quantise_cases,
    judge=expect(_quantised, tolerance=1e-9),
    forbids=Forbidden(
        modules=("hpml", "torch"), why="Rounding and a scale are enough; plain Python has both."
    ),
)


def _graph(name: str, edges: Edges, varying: list[str], part: str = "right") -> Case:
    return Case(name, {"edges": edges, "varying": varying}, part)


def _drawn_graph(generator: random.Random) -> tuple[dict[str, list[str]], list[str]]:
    names = [f"v{place}" for place in range(12)]
    edges: dict[str, list[str]] = {}
    for place, name in enumerate(names[:-1]):
        after = names[place + 1 : place + 5]
        targets = generator.sample(after, min(len(after), generator.randint(0, 2)))
        if targets or place < 2:
            edges[name] = targets
    return edges, generator.sample(names[:6], generator.randint(1, 2))


def _invariant_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    cell = {"x": ["encoder"], "encoder": ["sum"], "state": ["gate"], "gate": ["sum"],
            "sum": ["new state"]}  # fmt: skip
    cases = [
        _graph("a recurrent cell", cell, ["state"]),
        _graph("the other input varies", cell, ["x"]),
        _graph("both inputs vary", cell, ["x", "state"]),
        _graph("nothing varies", cell, []),
        _graph("a value that is never read", {"x": ["y"], "z": []}, ["x"]),
        _graph("not in topological order", {"b": ["c"], "a": ["b"], "s": ["a"], "k": ["c"]}, ["s"]),
        _graph("no values", {}, []),
        _graph("a varying value that nothing mentions", {}, ["s"]),
        _graph("a varying value without an entry", {"x": ["y"], "z": ["y"]}, ["y"]),
        _graph("everything varies", {"s": ["a", "b"], "a": ["c"], "b": ["c"]}, ["s"]),
        _graph("a value that is read twice", {"x": ["y", "y"], "s": ["z", "z"], "z": ["q"]}, ["s"]),
        _graph("listed twice, and read", {"s": ["a"], "a": ["b"], "k": ["b"]}, ["a", "s", "a"]),
        _graph("names that begin alike", {"k": ["k1"], "k1": ["k11"], "kk": ["kk1", "k"]}, ["k1"]),
        _graph("a path of four steps", {"s": ["a"], "a": ["b"], "b": ["c"], "c": ["d"], "k": ["d"]},
               ["s"]),
        _graph("values that do not vary read each other", {"x": ["y"], "y": ["z"], "s": ["z"]},
               ["s"]),
    ]  # fmt: skip
    for number in range(8 if more else 2):
        cases.append(_graph(f"drawn, number {number + 1}", *_drawn_graph(generator)))
    length = 5000 + generator.randrange(100)
    chain = {f"n{place}": [f"n{place + 1}"] for place in range(length)}
    cases.append(_graph(f"{length:,} values in a row", chain, [f"n{length // 2}"], "deep"))
    fan = {"s": [f"r{place}" for place in range(length)]} | {f"r{k}": ["end"] for k in range(9)}
    cases.append(_graph(f"{length:,} readers of one value", {**fan, "k": ["end"]}, ["s"], "deep"))
    backwards = {f"n{place}": [f"n{place + 1}"] for place in reversed(range(300))}
    cases.append(_graph("300 values in a row, the last first", backwards, ["n7"], "deep"))
    ladder = {f"a{i}": [f"a{i + 1}", f"b{i + 1}"] for i in range(60)}
    ladder |= {f"b{i}": [f"a{i + 1}", f"b{i + 1}"] for i in range(60)}
    cases.append(_graph("sixty crossings", {**ladder, "k": ["a60"]}, ["a0"], "deep"))
    return cases


def _invariant(case: Case) -> set[str]:
    """Return the values that do not vary, by propagating variation to a fixed point."""
    edges: Edges = case.data["edges"]
    reached: set[str] = set(case.data["varying"])
    before = -1
    while before < len(reached):
        before = len(reached)
        for name, targets in edges.items():
            if name in reached:
                reached.update(targets)
    return {*edges, *(target for targets in edges.values() for target in targets)} - reached


_LOOP_INVARIANT = Exercise(
    name="loop_invariant",
    minutes=8,
    parts={"right": 2, "deep": 1},
    cases=_invariant_cases,
    judge=expect(_invariant),
    forbids=Forbidden(
        modules=("graphlib", "networkx", "hpml", "torch"),
        why="The exercise is to write the search.",
    ),
)

EXERCISES: tuple[Exercise, ...] = (_BEST_SETTING, _QUANTISE, _LOOP_INVARIANT)
