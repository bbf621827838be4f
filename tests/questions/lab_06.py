from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any

from torch import nn

from hpml.bytecode import count_instructions
from hpml.course.labs.lab_06_forward_order import networks
from hpml.profiling.calls import instructions_outside, profile_calls
from hpml.symbolic import Input, SymbolicModel
from tests.questions.answers import solution


class _Node:
    def __init__(self, operation: Callable[..., Any], *parents: _Node) -> None:
        self.operation, self.parents = operation, parents

    def __call__(self, *values: Any) -> Any:
        return self.operation(*values)


def question_1() -> object:
    executed = []

    def plain(node: _Node) -> int:
        executed.append(node)
        return node(*[plain(parent) for parent in node.parents])

    counts = []
    for n in range(3, 9):
        node = _Node(lambda: 1)
        for _ in range(n):
            node = _Node(lambda a, b: a + b, *[_Node(lambda a: a, node) for _ in range(2)])
        executed.clear()
        plain(node)
        counts.append(len(executed))
    growth = [b / a for a, b in itertools.pairwise(counts)]
    return "it about doubles with each diamond" if min(growth) > 1.9 else "in proportion to n"


def question_2() -> None:
    def lazy_forward(node: _Node, values: dict) -> Any:
        if values.get(node) is None:
            values[node] = node(*[lazy_forward(p, values) for p in node.parents])
        return values[node]

    def fixed(node: _Node, values: dict) -> Any:
        if node not in values:
            values[node] = node(*[fixed(p, values) for p in node.parents])
        return values[node]

    for forward, runs in ((lazy_forward, 2), (fixed, 1)):
        ran: list[int] = []
        nothing = _Node(lambda ran=ran: ran.append(1))
        forward(_Node(lambda a, b: None, nothing, nothing), {})
        assert len(ran) == runs


def question_3() -> None:
    """The order of events is fixed by two barriers."""
    first, second = threading.Event(), threading.Event()
    shared: dict[str, int] = {}
    results = {}

    def one() -> None:
        shared["A"] = 1 * 10
        first.set()
        second.wait()
        results["one"] = shared["A"] + 1

    def two() -> None:
        first.wait()
        shared["A"] = 2 * 10
        second.set()
        results["two"] = shared["A"] + 1

    threads = [threading.Thread(target=each) for each in (one, two)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == {"one": 21, "two": 21}, "thread 1 has the result of thread 2"


def question_4() -> object:
    return 1000 * (1.75 - 1.25) / 250


def _instructions(run: Callable[[], object]) -> float:
    return instructions_outside("torch", run)


def question_5() -> object:
    """The instructions that asking adds, for narrow and for wide layers."""
    import torch

    length = 250
    chain = {"x": []} | {f"n{n}": [f"n{n - 1}" if n else "x"] for n in range(length)}
    steps = dict.fromkeys([*chain][1:], abs)
    last = f"n{length - 1}"
    lazy, ordered = (solution(f"lab_06/{name}_forward") for name in ("lazy", "ordered"))
    plain = count_instructions(lazy, chain, steps, {"x": 1}, last)
    plain -= count_instructions(ordered, [*steps], chain, steps, {"x": 1}, last)
    assert 60 < plain / length < 120, "the plain solutions"
    extra = []
    for width in (4, 256):
        layers = [nn.Linear(width, width) for _ in range(5)]
        counts = {}
        for execution in ("lazy", "ordered"):
            x = hidden = Input(shape=(width,))
            for layer in layers:
                hidden = layer(hidden)
            model = SymbolicModel(x, hidden, execution=execution)
            data = torch.rand(2, width)
            with torch.no_grad():
                model(data)
                counts[execution] = instructions_outside("torch", lambda m=model, d=data: m(d))
        extra.append(counts["lazy"] - counts["ordered"])
    data, per_node = torch.rand(4, 4), {}
    with torch.no_grad():
        for execution in ("lazy", "ordered"):
            few, many = (networks.forwards_of(n)[execution] for n in (10, 20))
            for count in (lambda run: profile_calls(run).total, _instructions):
                added = count(lambda m=many: m(data)) - count(lambda m=few: m(data))
                per_node[execution, count is _instructions] = added / 10
    assert 100 < per_node["lazy", True] - per_node["ordered", True] < 250, "the library"
    calls = per_node["lazy", False] - per_node["ordered", False]
    assert (calls > 0) == (sys.version_info < (3, 12))
    return "it stays about the same" if extra[0] == extra[1] else "it is 10 times as long"


def question_6() -> None:
    parents = {"a": ["x"], "b": ["x"], "c": ["a", "b"]}
    nodes = {"a": lambda x: x + 1, "b": lambda x: x * 2, "c": lambda a, b: (a, b)}
    values: dict[str, Any] = {"x": 5}
    for node in ["a", "b", "c"]:
        values[node] = nodes[node](*[values[p] for p in parents[node]])
    assert values["c"] == (6, 10)
    assert solution("lab_06/ordered_forward")("abc", parents, nodes, {"x": 5}, "c") == (6, 10)
