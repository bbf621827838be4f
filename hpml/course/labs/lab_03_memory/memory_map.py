"""The memory regions of the running process, from Linux's ``/proc/self/smaps``."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpml.base import style
from hpml.base.charts import Bar, bars, show
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_bytes

SMAPS = Path("/proc/self/smaps")
_ARENA = 64 * 2**20
"""glibc reserves this many bytes for a thread's heap, at an address that is a multiple of it."""

KINDS = {
    "main thread's stack": style.ACCENT,
    "stacks of threads": style.DATA,
    "libraries": style.MUTED,
    "mapped memory": style.SECOND,
    "heaps of threads": style.TEAL,
    "heap": style.GREEN,
    "program": style.INK,
}
"""The kinds of regions, from high addresses to low, with their colours."""


@dataclass(frozen=True)
class Region:
    """A range of addresses of the process; `end` is exclusive."""

    start: int
    end: int
    kind: str  # one of `KINDS`; empty for the kernel's regions
    resident: int  # bytes that are in physical memory

    def __contains__(self, address: int) -> bool:
        return self.start <= address < self.end


def memory_map(smaps: str, stacks: Sequence[tuple[int, int]] = ()) -> tuple[Region, ...]:
    """Return the regions in the text of ``/proc/self/smaps``; `stacks` are the threads' stacks."""
    listed: list[tuple[int, int, str, str]] = []
    resident: list[int] = []
    for line in smaps.splitlines():
        words = line.split(None, 5)
        if words[0] == "Rss:":
            resident.append(1024 * int(words[1]))
        elif not words[0].endswith(":"):
            start, end = (int(address, 16) for address in words[0].split("-"))
            listed.append((start, end, words[1], words[5].strip() if len(words) > 5 else ""))
    waiting = {start: end for start, end, allowed, name in listed if allowed[0] == "-"}
    return tuple(
        Region(start, end, _kind(start, end, allowed, name, stacks, waiting.get(end, end)), rss)
        for (start, end, allowed, name), rss in zip(listed, resident, strict=True)
    )


def _kind(
    start: int, end: int, allowed: str, name: str, stacks: Sequence[tuple[int, int]], limit: int
) -> str:
    """Return a region's kind; the addresses from its end to `limit` are reserved for its growth."""
    if name in ("[heap]", "[stack]"):
        return "heap" if name == "[heap]" else "main thread's stack"
    if name.startswith("/"):
        program = Path(name).name.startswith("python") and ".so" not in name
        return "program" if program else "libraries"
    if name.startswith("[") and not name.startswith("[anon"):
        return ""
    if any(start < top and bottom < end for bottom, top in stacks):
        return "stacks of threads"
    if start % _ARENA == 0 and limit == start + _ARENA:
        return "heaps of threads"
    # An unreadable region guards the end of a stack, or is reserved for a heap.
    return "mapped memory" if allowed[0] == "r" else ""


def thread_stacks() -> dict[str, tuple[int, int]]:
    """Return the first and last address of the stack of each Python thread but the main one."""
    libc = ctypes.CDLL(None)
    found = {}
    for thread in threading.enumerate():
        if thread is threading.main_thread() or thread.ident is None:
            continue
        attributes = ctypes.create_string_buffer(128)
        bottom, size = ctypes.c_void_p(), ctypes.c_size_t()
        if libc.pthread_getattr_np(ctypes.c_ulong(thread.ident), attributes) == 0:
            libc.pthread_attr_getstack(attributes, ctypes.byref(bottom), ctypes.byref(size))
            libc.pthread_attr_destroy(attributes)
            found[thread.name] = (bottom.value or 0, (bottom.value or 0) + size.value)
    return found


def draw_map(places: Mapping[str, int]) -> Page:
    """Draw the memory of this process by kind, with a table of the kinds of some addresses."""
    if not SMAPS.is_file():
        return say(
            "This system has no `/proc/self/smaps`, so its map cannot be shown here. On Linux, "
            "**the numbers of a large tensor are in mapped memory**, outside the heap."
        )
    regions, rows = _regions(), []
    for kind, colour in KINDS.items():
        own = [region for region in regions if region.kind == kind]
        mapped = sum(region.end - region.start for region in own)
        resident = sum(region.resident for region in own)
        parts = [(resident / 2**20, colour), ((mapped - resident) / 2**20, style.tint(colour, 0.3))]
        text = (
            f"{format_bytes(mapped)}, {format_bytes(resident)} of it resident, regions: {len(own)}"
        )
        rows.append(Bar(kind, parts, text))
    stacks = {
        f"the stack of thread {name}": top - 1
        for name, (_, top) in thread_stacks().items()
        if name.startswith("yours")  # not Jupyter's threads
    }
    located = [
        [name, f"{address:#x}", _kind_in(regions, address) or "elsewhere"]
        for name, address in {**places, **stacks}.items()
    ]
    table = Table(["what", "address", "in"], located, align=["left", "right", "left"])
    page = show(
        bars(rows, title="This process, high addresses on top", x="MiB"),
        caption="Dark: resident, in memory now. Light: not in memory. The four kinds in "
        "the middle are interleaved.",
        width=8.6,
        after=table._repr_html_(),
    )
    return Page(f"{page.plain}\n\n{table}", page.html, page.png)


def kind_at(address: int) -> str:
    """Return the kind of region of an address; outside Linux, that of a large tensor's numbers."""
    return _kind_in(_regions(), address) if SMAPS.is_file() else "mapped memory"


def _regions() -> tuple[Region, ...]:
    return memory_map(SMAPS.read_text(encoding="utf-8"), list(thread_stacks().values()))


def _kind_in(regions: Sequence[Region], address: int) -> str:
    return next((region.kind for region in regions if address in region), "")
