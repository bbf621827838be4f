"""The memory regions of the running process, from Linux's ``/proc/self/smaps``."""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.charts import Chart, label_ends, show
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
_HEIGHT, _GAP = 0.36, 0.22
"""Inches: a region with at most one place, and the gap between two drawn regions."""


@dataclass(frozen=True)
class Region:
    """A range of addresses of the process; `end` is exclusive."""

    start: int
    end: int
    kind: str  # one of `KINDS`; empty for the kernel's regions
    resident: int  # bytes that are in physical memory

    def __contains__(self, address: int) -> bool:
        return self.start <= address < self.end

    @property
    def size(self) -> int:
        return self.end - self.start


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
    """Draw the regions of this process that contain some addresses, with a table of all kinds."""
    if not SMAPS.is_file():
        return say(
            "This system has no `/proc/self/smaps`, so its map cannot be shown here. On Linux, "
            "**the numbers of a large tensor are in mapped memory**, outside the heap."
        )
    stacks = {
        f"the stack of thread {name}": top - 1
        for name, (_, top) in thread_stacks().items()
        if name.startswith("yours")  # not Jupyter's threads
    }
    regions = _regions()
    table = _kinds_table(regions)
    page = show(
        address_strip(regions, {**places, **stacks}),
        caption="Full colour: the share of a region that is resident, in memory now. "
        "Heights are not to scale.",
        width=8.2,
        after=table._repr_html_(),
    )
    return Page(f"{page.plain}\n\n{table}", page.html, page.png)


def address_strip(regions: Sequence[Region], places: Mapping[str, int]) -> Chart:
    """Return the regions that contain a place, high addresses on top, with the places beside them.

    The main thread's stack, the heap and the program are shown without a place too. What is
    between two shown regions is a gap in the strip.
    """
    falling = sorted((region for region in regions if region.kind), key=lambda each: -each.start)
    found = {name: _region_of(regions, address) for name, address in places.items()}
    shown = {region for region in found.values() if region in falling}
    for kind in {"main thread's stack", "heap", "program"} - _kinds(shown):
        own = [region for region in falling if region.kind == kind]
        shown |= {max(own, key=lambda region: region.size)} if own else set()
    rows = _rows(falling, shown)
    pins = [[name for name in places if found[name] is row] for row in rows]
    heights = [
        _HEIGHT + 0.18 * max(len(names) - 1, 0) if isinstance(row, Region) else _GAP
        for row, names in zip(rows, pins, strict=True)
    ]
    tops = [0.0, *itertools.accumulate(heights)]
    labels = [f"{row.kind}, {format_bytes(row.size)}" if isinstance(row, Region) else row
              for row in rows]  # fmt: skip

    def draw(ax: Axes) -> None:
        from matplotlib.patches import Rectangle

        ends = []
        for row, names, top, height in zip(rows, pins, tops, heights, strict=False):
            if not isinstance(row, Region):
                ax.text(50, top + height / 2, "⋮", ha="center", va="center")
                continue
            colour, resident = KINDS[row.kind], 100 * row.resident / row.size
            ax.add_patch(Rectangle((0, top), 100, height, color=style.tint(colour, 0.25), lw=0))
            ax.add_patch(Rectangle((0, top), resident, height, color=colour, lw=0))
            ax.add_patch(Rectangle((0, top), 100, height, fill=False, edgecolor=colour, lw=1.2))
            for place, name in enumerate(sorted(names, key=lambda name: -places[name])):
                y = top + height * (place + 1) / (len(names) + 1)
                ends.append((100.0, y, f"{name}  {places[name]:#x}", style.INK))
        ax.set(xlim=(0, 100), ylim=(tops[-1], 0), xticks=[0, 50, 100])
        ax.set_yticks([(a + b) / 2 for a, b in itertools.pairwise(tops)], labels)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        label_ends(ax, ends)

    resident = [f", {format_bytes(row.resident)} resident" if isinstance(row, Region) else ""
                for row in rows]  # fmt: skip
    located = [
        f"{name} ({address:#x}): {_kind_in(regions, address) or 'elsewhere'}"
        for name, address in places.items()
    ]
    text = f"From the top: {'; '.join(map(str.__add__, labels, resident))}. {'; '.join(located)}."
    return Chart(draw, text, 1.0 + tops[-1], title="This process, high addresses on top",
                 x="% of the region that is resident")  # fmt: skip


def _rows(falling: Sequence[Region], shown: Collection[Region]) -> list[Region | str]:
    """Return the shown regions, and between two of them what is left out there, in words."""
    rows: list[Region | str] = []
    groups = itertools.groupby(falling, lambda region: region if region in shown else None)
    for region, group in groups:
        if region is None:
            others = list(group)
            between = [kind for kind in KINDS if kind in _kinds(others)]
            of = ", ".join(between) if len(between) <= 2 else f"{len(between)} kinds"
            rows.append(f"{len(others)} more: {of}")
            continue
        above = rows[-1] if rows else ""
        if isinstance(above, Region) and above.start > region.end:
            rows.append("other addresses")
        rows.append(region)
    return rows


def _kinds(regions: Iterable[Region]) -> set[str]:
    return {region.kind for region in regions}


def _kinds_table(regions: Sequence[Region]) -> Table:
    """Return the size of all regions of each kind."""
    rows = []
    for kind in KINDS:
        own = [region for region in regions if region.kind == kind]
        sizes = sum(region.size for region in own), sum(region.resident for region in own)
        rows.append([kind, len(own), *sizes])
    columns = ["kind", "regions", "size", "resident"]
    return Table(columns, rows, formats=dict.fromkeys(columns[2:], format_bytes))


def kind_at(address: int) -> str:
    """Return the kind of region of an address; outside Linux, that of a large tensor's numbers."""
    return _kind_in(_regions(), address) if SMAPS.is_file() else "mapped memory"


def _regions() -> tuple[Region, ...]:
    return memory_map(SMAPS.read_text(encoding="utf-8"), list(thread_stacks().values()))


def _kind_in(regions: Sequence[Region], address: int) -> str:
    region = _region_of(regions, address)
    return region.kind if region else ""


def _region_of(regions: Sequence[Region], address: int) -> Region | None:
    return next((region for region in regions if address in region), None)
