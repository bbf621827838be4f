"""Small graphs to look at: a dictionary of parents, counted executions, a picture.

A graph is a plain dictionary here, ``{"sum": ["double", "square"], ...}``: each value with the
values it is computed from, parents before children. A value with no parents is an input.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.base import Table, describe
from hpml.base.page import Page, picture
from hpml.course.errors import LabError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

__all__ = [
    "Operation",
    "Parents",
    "chain",
    "counting_operations",
    "draw_graph",
    "ladder",
    "stack_steps",
]

Parents = Mapping[str, Sequence[str]]
Operation = Callable[..., Any]


def chain(length: int) -> dict[str, list[str]]:
    """Return a straight line of operations, each computed from the one before it.

    >>> chain(2)
    {'x': [], 'n1': ['x'], 'n2': ['n1']}
    """
    names = ["x", *(f"n{i}" for i in range(1, length + 1))]
    return {"x": [], **{new: [old] for old, new in itertools.pairwise(names)}}


def ladder(diamonds: int) -> dict[str, list[str]]:
    """Return diamonds in a row: a value is used by a left and a right side, which meet again.

    >>> ladder(1)
    {'x': [], 'left1': ['x'], 'right1': ['x'], 'join1': ['left1', 'right1']}
    """
    parents: dict[str, list[str]] = {"x": []}
    top = "x"
    for i in range(1, diamonds + 1):
        parents |= {f"left{i}": [top], f"right{i}": [top], f"join{i}": [f"left{i}", f"right{i}"]}
        top = f"join{i}"
    return parents


def counting_operations(parents: Parents) -> tuple[dict[str, Operation], Counter[str]]:
    """Return an operation for each computed value, which adds up, and a count of executions.

    >>> operations, executed = counting_operations(ladder(1))
    >>> operations["join1"](2, 3), dict(executed)
    (5, {'join1': 1})
    """
    executed: Counter[str] = Counter()

    def make(name: str) -> Operation:
        def operation(*values: Any) -> Any:
            executed[name] += 1
            return sum(values)

        return operation

    return {name: make(name) for name in parents if parents[name]}, executed


def stack_steps(parents: Parents, output: str) -> Table:
    """Return how a list of our own does the asking, one row a step.

    >>> print(stack_steps({"x": [], "double": ["x"], "triple": ["x"]}, "double"))
    step  waiting (top on the right)  what happens to the top one       known before
    ----  --------------------------  --------------------------------  ------------
       1  double                      double has all it needs: execute  x
       2  double                      double is known: off the stack    x, double
    """
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


def draw_graph(
    parents: Parents, executed: Mapping[str, int] | None = None, *, title: str = ""
) -> Page:
    """Draw a small graph from its inputs on the left to its outputs on the right.

    Args:
        parents: the graph.
        executed: how often each operation was executed; the more often, the darker.
        title: what is shown.
    """
    from hpml.base import style

    level, place = _positions(parents)
    columns, rows = max(level.values()), 1 + 2 * max(place.values())
    most = max(executed.values(), default=1) if executed else 1
    fig, ax = style.figure(width=min(1.6 + 0.85 * columns, 9.5), height=0.75 + 0.6 * rows)
    boxes: dict[str, Text] = {}
    with style.apply():
        for name in parents:
            count = executed.get(name, 0) if executed is not None and parents[name] else None
            share = 0.0 if count is None else count / most
            boxes[name] = ax.text(
                level[name],
                place[name],
                name if count is None else f"{name}\n{count:,} ×",
                ha="center",
                va="center",
                fontsize=8.5,
                color="white" if share > 0.6 else style.PALETTE["ink"],
                bbox={
                    "boxstyle": "round,pad=0.35",
                    "facecolor": _tint(style.PALETTE["lazy"], share),
                    "edgecolor": style.PALETTE["ink"],
                },
            )
        for name, above in parents.items():
            for parent in dict.fromkeys(above):
                _arrow(ax, boxes[parent], boxes[name])
        ax.set_xlim(-0.5, columns + 0.5)
        ax.set_ylim(-rows / 2, rows / 2)
        ax.set_axis_off()
        ax.set_title(title, loc="left")
    if executed is not None:
        count = sum(1 for above in parents.values() if above)
        style.caption(fig, f"{count} operations, {sum(executed.values()):,} executions.")
    edges = "; ".join(f"{n} from {', '.join(p)}" for n, p in parents.items() if p)
    counts = "" if executed is None else f" Executed: {describe(dict(executed), 400)}."
    return picture(fig, f"{title}: {edges}.{counts}")


def _positions(parents: Parents) -> tuple[dict[str, int], dict[str, float]]:
    """Return how far right each value stands, and how high, centred on 0."""
    level: dict[str, int] = {}
    for name, above in parents.items():
        if any(parent not in level for parent in above):
            raise LabError(f"draw_graph expects parents before children, got {name!r} too early.")
        level[name] = 1 + max((level[parent] for parent in above), default=-1)
    columns: dict[int, list[str]] = {}
    for name, column in level.items():
        columns.setdefault(column, []).append(name)
    place = {}
    for names in columns.values():
        for i, name in enumerate(names):
            place[name] = (len(names) - 1) / 2 - i
    return level, place


def _arrow(ax: Axes, start: Text, end: Text) -> None:
    arrow = {
        "arrowstyle": "-|>",
        "color": "#8A8A8A",
        "patchA": start.get_bbox_patch(),
        "patchB": end.get_bbox_patch(),
        "shrinkA": 3,
        "shrinkB": 2,
    }
    ax.annotate("", xy=end.get_position(), xytext=start.get_position(), arrowprops=arrow)


def _tint(colour: str, share: float) -> tuple[float, ...]:
    """Return the colour on white: all of it for a share of 1, white for 0."""
    from matplotlib.colors import to_rgb

    return tuple(1 - share * (1 - part) for part in to_rgb(colour))
