"""The lecture's table beside one's own, predicted bytes beside measured ones, faults counted."""

from __future__ import annotations

import importlib
import runpy
from collections.abc import Callable, Mapping
from typing import Any

from hpml.base import data_file, published, style
from hpml.base.charts import Bar, bars
from hpml.base.page import Page, picture
from hpml.base.tables import Table, format_bytes
from hpml.profiling import LineMemory


def lecture_program() -> tuple[str, dict[str, Any]]:
    """Return where the lecture's nn.py lies, and what it defines.

    >>> "learn" in lecture_program()[1]
    True
    """
    path = str(data_file("nn.py"))
    return path, runpy.run_path(path)


def published_lines(measured: LineMemory) -> Table:
    """Return the increments that the lecture's slide prints, beside those measured just now.

    The slide's PyTorch is older than 0.4; what can be compared is which line grew.
    """
    own = {_key(line.text): line.increment for line in measured.lines}
    rows = [
        [row["line"], row["increment"], own.get(_key(row["line"]))]
        for row in published("mlp_memory_profiler")["rows"]
        if not row["line"].startswith("@")
    ]
    form = "{:.3f}".format
    return Table(
        ["line", "published, MiB", "yours, MiB"], rows,
        title="Increments: the slide (published) beside yours",
        caption="Published: PyTorch before 0.4, hardware not named. Yours: this process.",
        align=["left", "right", "right"], formats={"published, MiB": form, "yours, MiB": form},
    )  # fmt: skip


def _key(line: str) -> str:
    """Return the first word of a line of code, without what has changed since."""
    return "".join(letter for letter in line.split("(")[0] if letter.isalnum())[:14]


def draw_saved(rows: Mapping[str, tuple[int, int | None]]) -> Page:
    """Draw for each network the measured bytes, and the predicted ones where there are some.

    Args:
        rows: by network, measured and predicted bytes.
    """
    fig, ax = style.figure(width=8.0, height=0.9 + 0.62 * len(rows))
    drawn, told = [], []
    for name, (measured, predicted) in rows.items():
        own = "not predicted yet" if predicted is None else f"you said {format_bytes(predicted)}"
        agree = measured == predicted
        colour = style.PALETTE["codegen" if agree else "muted"]
        text = f"{format_bytes(measured)}, {own}"
        drawn.append(Bar(name, [(measured / 2**20, colour)], text))
        told.append(f"{name}: {text}")
    bars(ax, drawn)
    most = max(measured for measured, _ in rows.values())
    ax.set_xlim(0, 1.6 * most / 2**20)
    style.finish(ax, title="Kept for the backward pass", x="MiB, measured", y="")
    style.caption(fig, "Green: your prediction is the measured number of bytes.")
    return picture(fig, "; ".join(told) + ".")


def page_faults(run: Callable[[], Any]) -> int | None:
    """Return how often the system had to provide a page while something ran; None on Windows."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:
        return None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    run()
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
