"""Small graphs as dictionaries of parents: build them, count their executions, draw them."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpml.base import Table, describe, style
from hpml.base.drawing import Look, dataflow, draw, lay_out
from hpml.base.page import Page, picture

Parents = Mapping[str, Sequence[str]]
Operation = Callable[..., Any]


def chain(length: int) -> dict[str, list[str]]:
    """Return a chain of operations, each computed from the previous one."""
    names = ["x", *(f"n{i}" for i in range(1, length + 1))]
    return {"x": [], **{new: [old] for old, new in itertools.pairwise(names)}}


def ladder(diamonds: int) -> dict[str, list[str]]:
    """Return a chain of diamonds: two nodes use a value, and a third joins them."""
    parents: dict[str, list[str]] = {"x": []}
    top = "x"
    for i in range(1, diamonds + 1):
        parents |= {f"left{i}": [top], f"right{i}": [top], f"join{i}": [f"left{i}", f"right{i}"]}
        top = f"join{i}"
    return parents


def random_parents(generator: random.Random, operations: int) -> dict[str, list[str]]:
    """Return a random graph with values that are shared, used twice, or not needed."""
    inputs = generator.randint(1, 3)
    names = [f"{letter}{n}" for letter in "uvw" for n in range(1, 40)]
    names = generator.sample(names, inputs + operations)
    parents: dict[str, list[str]] = {name: [] for name in names[:inputs]}
    for i, name in enumerate(names[inputs:], start=inputs):
        # Recent values only, so that the graphs become deep.
        near = names[max(0, i - 4) : i]
        parents[name] = [generator.choice(near) for _ in range(generator.choice((1, 1, 2, 2, 3)))]
    return parents


def counting_operations(parents: Parents) -> tuple[dict[str, Operation], Counter[str]]:
    """Return a summing operation for each computed value, and the counter of their executions."""
    executed: Counter[str] = Counter()

    def make(name: str) -> Operation:
        def operation(*values: Any) -> Any:
            executed[name] += 1
            return sum(values)

        return operation

    return {name: make(name) for name in parents if parents[name]}, executed


def stack_steps(parents: Parents, output: str) -> Table:
    """Return the steps of an evaluation with an explicit stack, one row a step."""
    known = [name for name in parents if not parents[name]]
    waiting = [output]
    rows: list[list[object]] = []
    while waiting:
        top, before = waiting[-1], (" · ".join(waiting), ", ".join(known))
        missing = [parent for parent in dict.fromkeys(parents[top]) if parent not in known]
        if top in known:
            waiting.pop()
            event = "is known: off the stack"
        elif missing:
            waiting.extend(reversed(missing))
            event = f"needs {', '.join(missing)}: onto the stack"
        else:
            known.append(top)
            event = "has all it needs: execute"
        rows.append([len(rows) + 1, before[0], f"{top} {event}", before[1]])
    columns = ["step", "waiting (top on the right)", "what happens to the top one", "known before"]
    return Table(columns, rows)


def draw_dataflow(
    parents: Parents, executed: Mapping[str, int] | None = None, *, title: str = ""
) -> Page:
    """Draw a small graph from its inputs on the left to its outputs on the right."""
    flow = dataflow(parents)
    most = max(executed.values(), default=1) if executed else 1
    counts = {} if executed is None else {n: executed.get(n, 0) for n in parents if parents[n]}

    def text(value: int) -> str:
        name = flow.names[value]
        return f"{name}\n{counts[name]:,} ×" if name in counts else name

    layout = lay_out(flow, text, lambda _: "", rotated=True)
    scale = min(1.0, 9.5 / layout.width)
    fig, ax = style.figure(
        width=max(scale * layout.width + 0.5, 4.0), height=scale * layout.height + 1.0
    )
    if executed is not None:
        total = sum(counts.values())
        style.caption(fig, f"{len(counts)} operations, {total:,} executions.")
    with style.apply():
        ax.set_title(title, loc="left")
    shades = [counts.get(name, 0) / most for name in flow.names]
    tints = {value: style.tint(style.PALETTE["lazy"], share) for value, share in enumerate(shades)}
    draw(layout, Look(tints=tints), ax=ax)
    edges = "; ".join(f"{n} from {', '.join(p)}" for n, p in parents.items() if p)
    counted = "" if executed is None else f" Executed: {describe(counts, 400)}."
    return picture(fig, f"{title}: {edges}.{counted}")
