"""A compiled function in one process after the other: what the cache on disk saves."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hpml.base.tables import Table, format_seconds
from hpml.course.errors import LabError

_CALLS = """
import json, sys, time
import numba, numpy

began = time.perf_counter()
numba.njit(lambda: 0)()  # at its first use Numba loads its own rules
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
    """Compile a function in new processes that share a cache, and return what took how long.

    Args:
        function: of an array with two axes; its source is all that it needs.
        decorator: the line above it, as ``"@numba.njit(cache=True)"``.
        processes: how many, one after the other.
    """
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
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            if ran.returncode:
                raise LabError(f"The program failed: {ran.stderr.strip()[-500:]}")
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
