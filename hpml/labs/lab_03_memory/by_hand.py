"""C's memory called by hand from Python, and what a process holds while somebody forgets it."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.profiling import MemoryOverTime


def c_library() -> Any:
    """Return this system's C library, with the types of malloc and free said to ctypes.

    >>> libc = c_library()
    >>> block = libc.malloc(100)
    >>> libc.free(block)
    """
    libc = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    # Or ctypes takes an address for an int of 32 bits.
    libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]
    return libc


@contextmanager
def in_a_thread(run: Callable[[], Any]) -> Iterator[Any]:
    """Run something in a thread of its own, which lives until the ``with`` ends; give its result.

    >>> with in_a_thread(lambda: threading.current_thread().name) as name:
    ...     name
    'a thread of yours'
    """
    ready, end = threading.Event(), threading.Event()
    results: list[Any] = []

    def live() -> None:
        results.append(run())
        ready.set()
        end.wait(60)

    thread = threading.Thread(target=live, name="a thread of yours", daemon=True)
    thread.start()
    ready.wait(60)
    try:
        yield results[0]
    finally:
        end.set()
        thread.join()


def draw_over_time(runs: Mapping[str, MemoryOverTime]) -> Page:
    """Draw by how much the resident memory grew while some functions ran, a line for each."""
    fig, ax = style.figure(width=7.4, height=3.2)
    said = []
    with style.apply():
        for (name, run), role in zip(runs.items(), ("lazy", "codegen"), strict=False):
            grown = [used - run.usage[0] for used in run.usage]
            colour, marker = style.colour(role), style.marker(role)
            ax.plot(run.seconds, grown, color=colour, marker=marker, markevery=10, label=name)
            said.append(f"{name}: {round(grown[-1]):+,} MiB at the end")
    style.finish(ax, title="Resident memory while it runs", x="seconds", y="MiB more than before")
    text = "; ".join(said) + "."
    style.caption(fig, text)
    return picture(fig, text)
