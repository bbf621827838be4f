"""Where glibc's `malloc` puts blocks, and how resident memory grows."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from hpml.base.charts import Line, lines, show
from hpml.base.page import Page, say
from hpml.base.tables import Table
from hpml.course.lesson.errors import LabError

FIXED = "MALLOC_MMAP_THRESHOLD_"
"""The variable that fixes the threshold: https://man7.org/linux/man-pages/man3/mallopt.3.html"""

_PROGRAM = """
import ctypes, json, sys
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]

def in_heap(address):
    for line in open("/proc/self/maps"):
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if begin <= address < end:
            return "[heap]" in line

def resident():
    return int(open("/proc/self/smaps_rollup").read().split("Rss:")[1].split()[0]) / 1024

found = []
for size in json.loads(sys.argv[1]):
    before = resident()
    block = libc.malloc(size * 2**20)
    ctypes.memset(block, 1, size * 2**20)
    place = "heap" if in_heap(block) else "mapped memory"
    libc.free(block)
    found.append([place, resident() - before])
print(json.dumps(found))
"""


def has_glibc() -> bool:
    """Return whether this is Linux with glibc."""
    return platform.libc_ver()[0] == "glibc"


def in_turn(mib: Sequence[int], *, fixed: bool = False) -> list[tuple[str, float]]:
    """Request, write and free blocks in turn in a new process, and return what became of each.

    Args:
        mib: the sizes of the blocks.
        fixed: whether the threshold is fixed at its first value, 128 KiB.

    Returns:
        For each block its part of the process, and the MiB by which resident memory has grown
        after it is freed.
    """
    environment = {name: value for name, value in os.environ.items() if name != FIXED}
    if fixed:
        environment[FIXED] = str(128 * 1024)
    done = subprocess.run(
        [sys.executable, "-S", "-c", _PROGRAM, json.dumps(list(mib))],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise LabError(
            object="the process that requests blocks",
            expected="exit code 0",
            received=f"exit code {done.returncode}: {done.stderr.strip()[-300:]}",
            remedy="Run the cell again; it needs /proc.",
        )
    return [(place, kept) for place, kept in json.loads(done.stdout)]


def show_in_turn(mib: Sequence[int]) -> Table | Page:
    """Show where blocks are that are requested and freed in turn, with the threshold fixed too."""
    if not has_glibc():
        return say("This experiment needs Linux with glibc: other C libraries have other rules.")
    as_usual, fixed = in_turn(mib), in_turn(mib, fixed=True)
    rows = [
        [f"{size} MiB", place, round(kept), held, round(still)]
        for size, (place, kept), (held, still) in zip(mib, as_usual, fixed, strict=True)
    ]
    return Table(
        ["malloc, then free", "block is in", "MiB kept", "threshold fixed: in", "MiB kept, fixed"],
        rows,
        caption="Kept: by how much resident memory has grown once the block is freed.",
        align=["right", "left", "right", "left", "right"],
    )


def draw_growth(runs: Mapping[str, Any]) -> Page:
    """Draw the resident memory that each run added."""
    drawn = [
        Line(name, run.seconds, [used - run.usage[0] for used in run.usage])
        for name, run in runs.items()
    ]
    return show(lines(drawn, title="Added resident memory, MiB", x="seconds"))
