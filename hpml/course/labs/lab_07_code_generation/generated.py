"""Properties of generated source: bytecode, live memory, tracebacks and speed."""

from __future__ import annotations

import dis
import functools
import linecache
import sys
import traceback
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

from hpml.base.charts import Chart, Line, lines, show
from hpml.base.page import Page, show_code
from hpml.base.tables import Table, format_bytes
from hpml.benchmark import Comparison
from hpml.course.labs.lab_07_code_generation.networks import chain_model, function_of
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.racing import race
from hpml.course.this_run import quick

_REPEATS, _TURNS = 100, 10


def instructions(*functions: FunctionType) -> Table:
    """Return the bytecode of functions side by side."""
    columns = [
        [f"{step.opname} {_operand(step)}".strip() for step in dis.get_instructions(function)]
        for function in functions
    ]
    longest = max(map(len, columns))
    rows = [[col[row] if row < len(col) else "" for col in columns] for row in range(longest)]
    version = ".".join(map(str, sys.version_info[:2]))
    return Table(
        [function.__name__ for function in functions],
        rows,
        caption=f"Bytecode of CPython {version}; other versions name some of these differently.",
    )


def _operand(step: dis.Instruction) -> str:
    # LOAD_SMALL_INT 3 contains the 3 itself, not the index of a constant.
    return str(step.arg) if step.opname == "LOAD_SMALL_INT" else step.argrepr


def measure_expressions(expressions: Sequence[str], names: Mapping[str, object]) -> Comparison:
    """Time expressions that take nanoseconds, such as ``"l[3]"``, in seconds per evaluation."""
    # The placement of objects in memory changes some times by a nanosecond: over eight processes
    # `plain.layer` took 0.84 to 0.98 times as long as `l[3]`. So the resolution is 20 %.
    runs = {}
    for expression in expressions:
        lines = [f"def run({', '.join(names)}):", f"    for _ in range({_TURNS}):"]
        lines += [f"        {expression}"] * _REPEATS
        scope: dict[str, Any] = {}
        exec("\n".join(lines), scope)
        runs[expression] = functools.partial(scope["run"], **names)
    return race(runs, resolution=0.2).per(_REPEATS * _TURNS)


def live_bytes(model: Any, source: str, *inputs: Any) -> tuple[int, ...]:
    """Run generated source on a model's layers, and return the live bytes after each layer."""
    alive: list[weakref.ref[Any]] = []
    counts: list[int] = []

    def watched(layer: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            result = layer(*arguments)
            alive.append(weakref.ref(result))
            # Views share their memory: count each storage once.
            storages = [t.untyped_storage() for ref in alive if (t := ref()) is not None]
            counts.append(sum({s.data_ptr(): s.nbytes() for s in storages}.values()))
            return result

        return run

    layers = [watched(layer) for layer in model.ordered_layers]
    function_of(source)(SimpleNamespace(_execution_order_layers=layers), *inputs)
    return tuple(counts)


def draw_live_bytes(nets: Mapping[str, Mapping[str, Sequence[int]]]) -> Page:
    """Draw the live bytes during the forward of some networks, one line per kind of source."""
    charts: list[Chart] = []
    for net, kinds in nets.items():
        drawn = [
            Line(
                name,
                range(1, len(counts) + 1),
                [count / 1024 for count in counts],
                marker=".",
                text=f"peak: {format_bytes(max(counts))}",
            )
            for name, counts in kinds.items()
        ]
        y = "" if charts else "live results (KiB)"
        charts.append(lines(drawn, title=net, x="layers executed", y=y, ylim=(0, None)))
    return show(*charts, beside=True, width=8.4)


def error_page(run: Callable[[], object]) -> Page:
    """Call `run`, which must fail, and show its traceback's frames in generated code."""
    try:
        run()
    except Exception as error:  # noqa: BLE001 - any error is shown
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.startswith("<") and not frame.filename.startswith("<ipython")
        ]
        lines = []
        for frame in frames:
            lines.append(f'File "{frame.filename}", line {frame.lineno}, in {frame.name}')
            lines.append(f"    {linecache.getline(frame.filename, frame.lineno or 0).strip()}")
        lines += [line.rstrip() for line in traceback.format_exception_only(error)]
        return show_code("\n".join(line for line in lines if line.strip()))
    raise LabError(
        object="error_page",
        expected="a call that fails",
        received="one that did not",
        remedy="Change its input.",
    )


def kernel_map() -> Table:
    """Compare the frozen kernel with the inlined source for several widths and batch sizes."""
    import torch
    from torch import nn

    widths, batches = ((4, 16), (1,)) if quick() else ((4, 16, 64, 256), (1, 16, 256))
    depth, rows = 20, []
    for width in widths:
        layers = [nn.Linear(width, width) for _ in range(depth)]
        inlined = chain_model(layers, "inlined", width)
        kernel = inlined.compiled_inference()
        cells = []
        for batch in batches:
            x = torch.rand(batch, width)
            runs = {"inlined": lambda: inlined(x), "kernel": lambda: kernel(x)}  # noqa: B023
            ratio = race(runs, "kernel").ratio("inlined")
            certain = ratio.answer != "cannot tell"
            cells.append(f"{ratio.shown} ×" if certain else ratio.answer)
        rows.append((width, *cells))
    title = f"The kernel's speed as a multiple of the inlined source's, {depth} linear layers"
    return Table(("width", *[f"batch {batch}" for batch in batches]), rows, title=title)
