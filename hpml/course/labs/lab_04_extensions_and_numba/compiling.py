"""Build, try, cache and plot loops compiled ahead of time and just in time."""

from __future__ import annotations

import inspect
import json
import math
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from hpml.base.charts import Line, lines, show
from hpml.base.errors import describe
from hpml.base.page import Page, put, say
from hpml.base.system import usable_cores
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison
from hpml.course.files import recorded as recorded_on_disk
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.racing import race
from hpml.jit import JitError, build_extension


def built(source: str, name: str, flags: Sequence[str] = ("-O3",)) -> ModuleType | None:
    """Build and import an extension; if that fails, report why and return None."""
    try:
        return build_extension(source, name, flags=flags)
    except JitError as error:
        put(say(f"**No extension is built here**: {str(error)[:1000]}"), uuid.uuid4().hex)
        return None


def build_seconds(source: str, name: str) -> float:
    """Return the seconds to build and import an extension that was not built before."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        began = time.perf_counter()
        build_extension(source, name, folder=folder)
        return time.perf_counter() - began


def why_one_core(run: Callable[[], object]) -> str:
    """Return why two threads without the lock had no second core, or an empty text if they had.

    Two threads that compute side by side take two seconds of the processor in one second.
    """
    if usable_cores() < 2:
        return "there is only one core here."
    begun, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < _LOOK:
        run()
    cores = (time.process_time() - used) / (time.perf_counter() - begun)
    if cores > _TWO:
        return ""
    left = f"other programs left the two threads {cores:.1f} cores"
    return f"{left}. Run the cell again when they are quiet."


_LOOK, _TWO = 0.1, 1.5  # seconds of looking; cores that are more than one


def recorded() -> Table:
    """Return recorded times of C extensions, for a machine without a compiler."""
    found = recorded_on_disk("extensions")
    caption = f"Recorded, not measured here: {found['machine']}, {found['compiler']}."
    rows = [list(pair) for pair in found["ns per number"].items()]
    return Table(["recorded: sum2d of 100 × 1,000 numbers", "ns per number"], rows, caption=caption)


def tried(functions: Mapping[str, Callable[[Any], object]], values: Mapping[str, object]) -> Table:
    """Return the result of each function for each value, marked if Numba compiled for it."""
    rows = []
    for name, value in values.items():
        row = [name]
        for function in functions.values():
            before = len(getattr(function, "signatures", ()))
            try:
                text = describe(function(value))
            except Exception as error:  # noqa: BLE001 - the error is the result
                text = f"{type(error).__name__}: {_reason(error)}"
            new = len(getattr(function, "signatures", ())) > before
            row.append(f"{text}, compiled for this type" if new else text)
        rows.append(row)
    return Table(["called with", *functions], rows)


def _reason(error: Exception) -> str:
    """Return the first informative line of an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith("Failed in nopython mode")]
    return textwrap.shorten(next(iter(telling or lines), ""), 70, placeholder=" …")


_CALLS = """
import json, sys, time
import numba, numpy

began = time.perf_counter()
numba.njit(lambda: 0)()  # the first use loads Numba's own rules
times = [time.perf_counter() - began]
began = time.perf_counter()
from program import FUNCTION as function
times.append(time.perf_counter() - began)
a = numpy.ones((100, 1000))
for _ in range(2):
    began = time.perf_counter()
    function(a)
    times.append(time.perf_counter() - began)
print(json.dumps([*times, sum(function.stats.cache_hits.values())]))
"""


def in_new_processes(function: Callable[[Any], object], decorator: str, processes: int) -> Table:
    """Time the compilation and calls of a function in new processes that share a cache."""
    source = textwrap.dedent(inspect.getsource(function))
    program = f"from __future__ import annotations\nimport numba\n\n{decorator}\n{source}"
    calls = _CALLS.replace("FUNCTION", function.__name__)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path, cache = Path(folder, "calls.py"), Path(folder, "cache")
        path.write_text(calls, encoding="utf-8")
        Path(folder, "program.py").write_text(program, encoding="utf-8")
        for number in range(1, processes + 1):
            ran = subprocess.run(
                [sys.executable, str(path)],
                env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            if ran.returncode:
                raise LabError(
                    f"The program failed:\n{ran.stderr.strip()[-500:]}\n",
                    object="the program",
                    expected="exit code 0",
                    received=f"exit code {ran.returncode}",
                    remedy="Run its text in a cell to see where it fails.",
                )
            *times, hits = json.loads(ran.stdout.splitlines()[-1])
            rows.append([f"process {number}", "cache" if hits else "source", *times])
        files = sorted(f"*{file.suffix}" for file in cache.rglob("*.nb*"))
    timed = ("Numba's own start", "definition", "first call", "second call")
    return Table(
        ["", "machine code from", *timed],
        rows,
        title=decorator,
        caption=f"Files in the cache afterwards: {', '.join(files) or 'none'}.",
        formats=dict.fromkeys(timed, format_seconds),
    )


def times_by_size(
    functions: Mapping[str, Callable[[Any], object]], sizes: Sequence[int]
) -> dict[int, Comparison]:
    """Compare functions on arrays of 100 columns, one comparison for each number of elements."""
    import numpy as np

    generator = np.random.default_rng(0)
    arrays = {size: generator.random((size // 100, 100)) for size in sizes}
    return {
        size: race({name: partial(run, a) for name, run in functions.items()})
        for size, a in arrays.items()
    }


def draw_break_even(
    calls_to: Callable[[float, float, float], float | None],
    compile_times: Mapping[str, float],
    by_size: Mapping[int, Comparison],
    numbers: int,
) -> Page:
    """Draw the total time, including compilation, against the number of calls.

    The axes have room for all sizes, so that pictures of two sizes can be compared.
    """
    times = by_size[numbers]
    slow = times[times.baseline].median
    counts = [10 ** (step / 10) for step in range(61)]
    drawn, texts = [], []
    for each in times:
        once = compile_times.get(each.name, 0.0)
        drawn.append(Line(each.name, counts, [once + count * each.median for count in counts]))
        answer = None if each.name == times.baseline else calls_to(once, slow, each.median)
        if answer is None:
            continue
        pays = "never" if math.isinf(answer) else f"from call {answer:,.0f} on"
        texts.append(f"{each.name} pays {pays}")
        if 1 <= answer <= counts[-1]:
            drawn.append(Line(each.name, [answer], [once + answer * each.median], "", marker="o"))
    text = (
        f"By your formula: {'; '.join(texts)}."
        if texts
        else "No marks: calls_to_break_even is not written yet."
    )
    y, title = "total seconds, compiling included", f"sum2d of {numbers:,} numbers"
    medians = [each.median for found in by_size.values() for each in found]
    most = max(compile_times.values(), default=0.0) + counts[-1] * max(medians)
    limits = (0.5 * min(medians), 2 * most)
    chart = lines(drawn, title=title, x="calls", y=y, log="xy", xlim=(1, counts[-1]), ylim=limits)
    return show(chart, caption=text, text=text)
