"""Race the rungs of the kernel ladder, draw them, and find by which instruction each multiplies.

>>> from hpml.course.labs.lab_08_fusion_and_compilers.rungs import loops, tile
>>> product = Product(8)
>>> product.is_right(loops), product.is_right(tile), product.is_right(lambda x, y, out: None)
(True, True, False)
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import statistics
import textwrap
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from hpml.base import style
from hpml.base.charts import Dot, dots, show
from hpml.base.page import Page, say, show_code
from hpml.base.system import usable_cores
from hpml.base.tables import Table, readable
from hpml.benchmark import Comparison, Kernel
from hpml.course.labs.lab_08_fusion_and_compilers.rungs import RUNGS, compiled
from hpml.course.labs.lab_08_fusion_and_compilers.rungs_in_c import rungs_in_c
from hpml.course.lesson.racing import race
from hpml.jit import instructions

__all__ = [
    "SHARE",
    "THREADS",
    "Product",
    "Rung",
    "climbed",
    "draw_ladder",
    "in_numba",
    "instruction_table",
    "listing",
    "multiply_add",
    "named",
    "on_threads",
    "rungs_in_c",
    "works",
]

Rung = Callable[[Any, Any, Any], object]
"""Writes the product of its first two arguments, times 100, plus 10, into the third."""

SHARE = {"loops": 1 / 64, "strides": 1 / 16}
"""The share of the rows that the slowest rungs compute, so that a race ends soon.

Times are per operation. `strides` copies `y` once, which takes long beside few rows.
"""

THREADS = min(usable_cores(), 4)
"""The threads of the rungs with threads, and of `torch.mm` beside them."""


def in_numba() -> dict[str, Rung]:
    """Return the rungs of one thread, compiled by Numba at their first call."""
    return {rung.__name__: compiled(rung) for rung in RUNGS}


def listing(*rungs: Rung) -> Page:
    """Return the loops of rungs as text, without their descriptions."""
    parts = []
    for rung in rungs:
        tree = ast.parse(textwrap.dedent(inspect.getsource(rung)))
        (function,) = tree.body
        assert isinstance(function, ast.FunctionDef)
        function.body = function.body[1:]
        function.returns = None
        for each in function.args.args:
            each.annotation = None
        parts.append(ast.unparse(function))
    return show_code("\n\n\n".join(parts))


def named(rung: str, threads: int) -> str:
    """Return the name of a rung on so many threads."""
    return rung if threads == 1 else f"{rung}, {threads} threads"


def on_threads(kernel: Rung, threads: int = THREADS) -> Rung:
    """Return a kernel that gives each thread its share of the rows.

    The kernel must release Python's lock, or the threads wait for each other.
    """
    pool = ThreadPoolExecutor(threads)

    def run(x: Any, y: Any, out: Any) -> None:
        share = max(1, -(-len(out) // threads))
        parts = [slice(first, first + share) for first in range(0, len(out), share)]
        list(pool.map(lambda rows: kernel(x[rows], y, out[rows]), parts))

    return run


class Product:
    """Two square matrices of small whole numbers, whose sums are exact in any order.

    Attributes:
        side: the rows and columns of each.
    """

    def __init__(self, side: int) -> None:
        import numpy as np

        whole = np.random.default_rng(8).integers
        self.side = side
        self._x, self._y = (whole(-3, 4, (side, side)).astype(np.float32) for _ in range(2))
        self._out = np.empty((side, side), np.float32)

    def first_rows(self, kernel: Rung) -> Any:
        """Return the first rows that a kernel writes, or None if it writes nothing."""
        import numpy as np

        x, out = self._x[:13], self._out[:13]
        out.fill(np.nan)
        kernel(x, self._y, out)
        return None if np.isnan(out).all() else out.copy()

    def is_right(self, kernel: Rung) -> bool:
        """Return whether a kernel writes the right numbers, tried on the first rows."""
        import numpy as np

        right = self._x[:13].astype(float) @ self._y * 100 + 10
        rows = self.first_rows(kernel)
        return rows is not None and np.array_equal(rows, right)

    def race(self, kernels: Mapping[str, Rung], baseline: str, threads: int = 1) -> Comparison:
        """Compare kernels with `torch.mm`, in seconds per multiplication with its addition.

        Args:
            kernels: the rungs by name; each must be right.
            baseline: the name of the one with which the others are compared.
            threads: how many `torch.mm` may use.
        """
        rows = {name: max(1, int(self.side * SHARE.get(name, 1))) for name in kernels}
        runs: dict[str, Callable[[], object]] = {}
        for name, kernel in kernels.items():
            part = slice(rows[name])
            runs[name] = partial(kernel, self._x[part], self._y, self._out[part])
        library = named("torch.mm", threads)
        runs[library] = self._library(threads)
        items = {name: n * self.side**2 for name, n in {**rows, library: self.side}.items()}
        return race(runs, baseline=baseline).per(items)

    def _library(self, threads: int) -> Callable[[], object]:
        import torch

        x, y, out = map(torch.from_numpy, (self._x, self._y, self._out))

        def run() -> None:
            before = torch.get_num_threads()
            torch.set_num_threads(threads)
            torch.mm(x, y, out=out).mul_(100).add_(10)
            torch.set_num_threads(before)

        return run


def works(product: Product, raced: Comparison) -> dict[str, Kernel]:
    """Return the work of each contender on one thread, for a roofline.

    All do the same operations. The bytes are those that any of them has to move: both matrices
    once, and the result once.
    """
    operations, moved = 2 * product.side**3, 3 * 4 * product.side**2
    times = {each.name: each.median * product.side**3 for each in raced}
    alone = {name: seconds for name, seconds in times.items() if "threads" not in name}
    return {name: Kernel(operations, moved, seconds) for name, seconds in alone.items()}


def draw_ladder(raced: Comparison, peak: float) -> Page:
    """Draw the speed of each rung and of an operation alone, on a logarithmic axis.

    Dots and labels are ratios to the first rung, so that they agree. How fast that one is follows
    from the medians of all: of one alone, a slow moment would shift the whole picture.

    `peak` is in operations per second, on one core.
    """
    rows, shades = [], style.series(raced.names)
    first, *others = raced.names
    slowest = statistics.median(
        2e-9 / each.median / raced.ratio(first, each.name).value for each in raced
    )
    rows.append(Dot(first, slowest, readable(slowest, 3), None, shades[first]))
    for name in others:
        gain = raced.ratio(first, name)
        text = f"{readable(slowest * gain.value, 3)}, {readable(gain.value, 3)} × {first}"
        known = gain.low > 0 and math.isfinite(gain.high)  # enough rounds
        band = (slowest * gain.low, slowest * gain.high) if known else None
        rows.append(Dot(name, slowest * gain.value, text, band, shades[name]))
    rows.append(
        Dot("multiply-adds alone", peak / 1e9, readable(peak / 1e9, 3), None, style.INK, "|")
    )
    # One interval without an end must not squeeze all the others into a corner.
    speeds = [dot.values for dot in rows if isinstance(dot.values, float)]
    edges = min(speeds) / 2, max(speeds) * 2
    caption = f"Line: the 95 % interval of the ratio to {first}."
    if any(dot.interval and not edges[0] < dot.interval[0] <= dot.interval[1] < edges[1]
           for dot in rows):  # fmt: skip
        caption += " A line up to the edge is longer."
    notes = f"Ratios to {first} in the same {raced.rounds} rounds, placed by the medians of all."
    summary = "How it was measured"
    if unsteady := [name for name in others if raced.ratio(first, name).reason]:
        summary += " (note: unsteady)"
        notes += f"\nUnsteady here: {', '.join(unsteady)}."
    title, x = "The speed of each rung", "GFLOP/s (10⁹ operations per second)"
    chart = dots(rows, title=title, x=x, log="x", xlim=edges)
    return show(chart, caption=caption, notes=(summary, notes))


def climbed(raced: Comparison, below: str, above: str) -> Page:
    """Return a sentence: how many times as fast one rung is as another."""
    total = readable(raced.ratio(below, above).value, 2)
    return say(f"On this machine `{above}` is **{total} times** as fast as `{below}`.")


def instruction_table(raced: Comparison, kernels: Mapping[str, Any]) -> Table:
    """Return each rung's gain over the one before and over the first, and what it multiplies by."""
    rows: list[list[object]] = []
    first = before = raced.names[0]
    for name in raced.names:
        gain = raced.ratio(before, name)
        found = multiply_add(instructions(kernels[name])) if name in kernels else ("–", "–")
        shown = ["–", "–", "1"]
        if name != first:
            band = f"{readable(gain.low, 3)} to {readable(gain.high, 3)}"
            total = readable(raced.ratio(first, name).value, 3)
            shown = [readable(gain.value, 3), band, total]
        rows.append([name, *shown, *found])
        before = name
    columns = ["rung", "gain", "95 % interval", f"× {first}", "instruction", "numbers"]
    return Table(columns, rows, align=["left", "right", "left", "right", "left", "right"])


_MULTIPLY_ADD = re.compile(
    r"^\s*(?:(vfn?madd\d+)(?:ss|ps)\s+.*"  # x86: one number, or a register full
    r"|fn?madd\s+s\d+.*|fmla(?:\.4s)?\s+v\d+.*)$",  # ARM
    re.MULTILINE,
)
_LABEL = re.compile(r"^[^\s#]+:.*$", re.MULTILINE)


def multiply_add(assembler: str) -> tuple[str, str]:
    """Return the fused multiply-add of a function's main loop, and on how many numbers it works.

    The main loop is the piece of code between two labels that works on most numbers in this way. A
    loop for what is left over has fewer.

    >>> multiply_add(".L1:\\n  vfmadd231ss (%rax), %xmm1, %xmm0\\n"
    ...              ".L2:\\n  vfmadd231ps %zmm3, %zmm2, %zmm1")
    ('vfmadd231ps, zmm', '16')
    >>> multiply_add("  fmla.4s v0, v1, v2[0]\\n  fmadd s0, s1, s2, s0")
    ('fmla.4s, v', '4')
    >>> multiply_add("  mulss %xmm0, %xmm1")
    ('–', '–')
    """
    pieces = [
        [found[0] for found in _MULTIPLY_ADD.finditer(piece)] for piece in _LABEL.split(assembler)
    ]
    most = max(pieces, key=lambda piece: sum(map(_numbers, piece)), default=[])
    if not most:
        return "–", "–"
    widest = max(most, key=_numbers)
    register = re.search(r"%?([xyz]mm|[sv])\d", widest)
    assert register is not None
    return f"{widest.split()[0]}, {register[1]}", str(_numbers(widest))


def _numbers(instruction: str) -> int:
    """Return how many float32 numbers an instruction works on at once."""
    if re.match(r"\s*(?:fn?madd|vfn?madd\d+ss)\b", instruction):
        return 1
    register = re.search(r"%?([xyz])mm\d", instruction)
    return {"x": 4, "y": 8, "z": 16}[register[1]] if register else 4
