"""A compiled function in one process after the other: what the cache on disk saves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hpml.base.tables import Table, format_seconds
from hpml.course.errors import LabError

_CALLS = """

import json, time
a, times = np.ones((100, 1000)), []
for _ in range(2):
    began = time.perf_counter()
    sum2d(a)
    times.append(time.perf_counter() - began)
print(json.dumps([*times, sum(sum2d.stats.cache_hits.values())]))
"""


def in_new_processes(program: str, processes: int = 2) -> Table:
    """Run a program in new processes that share a cache, and return the times of two calls in each.

    Args:
        program: defines ``sum2d``, compiled by Numba, and imports NumPy as ``np``.
        processes: how many, one after the other.
    """
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path, cache = Path(folder, "program.py"), Path(folder, "cache")
        path.write_text(program + _CALLS, encoding="utf-8")
        for number in range(1, processes + 1):
            ran = subprocess.run(
                [sys.executable, str(path)],
                env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            if ran.returncode:
                raise LabError(f"The program failed: {ran.stderr.strip()[-500:]}")
            first, second, hits = json.loads(ran.stdout.splitlines()[-1])
            rows.append([f"process {number}", "cache" if hits else "source", first, second])
        files = sorted(f"*{file.suffix}" for file in cache.rglob("*.nb*"))
    return Table(
        ["", "machine code from", "first call", "second call"],
        rows,
        caption=f"Files in the cache afterwards: {', '.join(files) or 'none'}.",
        formats={"first call": format_seconds, "second call": format_seconds},
    )
