"""Lines of generated source and the time to compile them, for settings of the loop length."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import compare
from hpml.symbolic.config import loop_length

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel

__all__ = ["draw_loops", "loop_costs"]


def loop_costs(model: SymbolicModel, lengths: Sequence[float], *, rounds: int = 15) -> Table:
    """Return source lines and compile time for some settings of the least loop length.

    Args:
        model: the model whose source is written anew for each setting.
        lengths: the settings, at least 2; ``float("inf")`` writes no loop.
        rounds: of the comparison.
    """
    texts = {}
    for length in lengths:
        with loop_length(length):
            model.execution = "codegen"
            texts[f"{length:g}"] = model.source
    runs = {
        name: functools.partial(compile, text, "<generated>", "exec")
        for name, text in texts.items()
    }
    found = compare(runs, rounds=rounds)
    rows = [
        [float(name), len(texts[name].splitlines()), found[name].median] for name in found.names
    ]
    return Table(
        ["least loop length", "source lines", "compile time"],
        rows,
        formats={"least loop length": _length_text, "compile time": format_seconds},
    )


def draw_loops(costs: Table) -> Page:
    """Draw the table of `loop_costs`: lines and compile time against the least loop length."""
    names = [_length_text(value) for value in costs.column("least loop length")]
    lines = [int(str(value)) for value in costs.column("source lines")]
    times = [float(str(value)) * 1e3 for value in costs.column("compile time")]
    fig, axes = style.figure(1, 2, width=8.0, height=3.4)
    for ax, heights, role, title, unit in (
        (axes[0], lines, "handwritten", "Source", "lines"),
        (axes[1], times, "codegen", "Compiling it", "ms"),
    ):
        with style.apply():
            ax.bar(names, heights, color=style.colour(role))
        style.finish(ax, title=title, x="least loop length", y=unit)
    per_line = 1e3 * (times[-1] - times[0]) / (lines[-1] - lines[0])
    text = (
        f"From {lines[0]} lines to {lines[-1]}: {times[0]:.2f} ms to {times[-1]:.2f} ms, "
        f"{per_line:.0f} µs for each further line."
    )
    style.caption(fig, text)
    return picture(fig, text)


def _length_text(value: object) -> str:
    return "no loops" if value == float("inf") else f"{value:g}"
