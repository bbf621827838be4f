from __future__ import annotations

import ctypes
import gc
import mmap
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from matplotlib.colors import to_rgba

from hpml.base.optional import why_unavailable
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark.sampling.rounds import FROZEN_BY_PYTHON
from hpml.course.labs.lab_03_memory import blocks, collecting, memory_map, networks
from hpml.course.lesson.errors import LabError
from hpml.profiling import memory_lines
from tests.drawn import drawn, extent, overlap
from tests.parts import raises

linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs /proc/self/smaps; runs on Linux"
)

SMAPS = """\
400000-401000 r-xp 00000000 fe:00 1      /usr/bin/python3.11
Rss:                   4 kB
VmFlags: rd ex
5000000-5002000 rw-p 00000000 00:00 0    [heap]
Rss:                   8 kB
7f0000000000-7f0000021000 rw-p 00000000 00:00 0
Rss:                  12 kB
7f0000021000-7f0004000000 ---p 00000000 00:00 0
Rss:                   0 kB
7f0008000000-7f0008001000 rw-p 00000000 00:00 0
Rss:                   4 kB
7f0010000000-7f0010800000 rw-p 00000000 00:00 0
Rss:                  16 kB
7f0020000000-7f0020001000 r-xp 00000000 fe:00 2  /usr/lib/libpython3.11.so.1.0
Rss:                   4 kB
7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0  [stack]
Rss:                  80 kB
7ffe00030000-7ffe00032000 r-xp 00000000 00:00 0  [vdso]
Rss:                   4 kB
"""


def test_regions_are_told_apart() -> None:
    regions = memory_map.memory_map(SMAPS, [(0x7F0010000000, 0x7F0010800000)])
    assert [region.kind for region in regions] == [
        "program", "heap", "heaps of threads", "", "mapped memory", "stacks of threads",
        "libraries", "main thread's stack", "",
    ]  # fmt: skip
    assert [region.resident // 1024 for region in regions] == [4, 8, 12, 0, 4, 16, 4, 80, 4]
    assert 0x5001FFF in regions[1]
    assert 0x5002000 not in regions[1]


@linux
def test_this_process_has_what_the_lab_says() -> None:
    # Not a tensor: in a long run the heap may have a free part that is large enough for any.
    mapped = mmap.mmap(-1, 2**20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    large = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
    assert memory_map.kind_at(large) == "mapped memory"
    with ThreadPoolExecutor(1, "yours") as pool:
        pool.submit(int).result()
        page = memory_map.draw_map({"large": large, "None": id(None)})
    assert f"large ({large:#x}): mapped memory; None (" in page.plain
    assert re.search(r"the stack of thread yours_0 \(0x\w+\): stacks of threads\.\n", page.plain)
    rows = {row.split("  ")[0]: row for row in page.plain.splitlines()}
    assert set(memory_map.KINDS) <= set(rows)


PLACES = {"low": 0x5000010, "thread": 0x7F0000000010, "below": 0x7F00107FFFF0,
          "above": 0x7F00107FFFFF, "nowhere": 0x10}  # fmt: skip


def test_the_strip_has_the_regions_in_order_with_their_resident_share() -> None:
    from matplotlib.patches import Rectangle

    chart = memory_map.address_strip(memory_map.memory_map(SMAPS), PLACES)
    ax = drawn(chart)
    # Of each region: its ground, its resident part, its frame.
    parts = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    grounds, resident = parts[::3], parts[1::3]
    kinds = ["main thread's stack", "mapped memory", "heaps of threads", "heap", "program"]
    assert [part.get_facecolor() for part in resident] == [
        to_rgba(memory_map.KINDS[kind]) for kind in kinds
    ]
    shares = [80 / 132, 16 / 8192, 12 / 132, 1, 1]
    assert [part.get_width() / 100 for part in resident] == pytest.approx(shares)
    # The y axis points down. Above each region but the topmost is a gap.
    assert ax.yaxis_inverted()
    tops = [part.get_y() for part in grounds]
    bottoms = [part.get_y() + part.get_height() for part in grounds]
    assert all(above < below for above, below in zip(bottoms, tops[1:], strict=False))
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "main thread's stack, 132 KiB", "1 more: libraries", "mapped memory, 8.00 MiB",
        "1 more: mapped memory", "heaps of threads, 132 KiB", "other addresses", "heap, 8.00 KiB",
        "other addresses", "program, 4.00 KiB",
    ]  # fmt: skip
    assert not overlap(ax.get_yticklabels())


def test_many_kinds_in_a_gap_are_counted() -> None:
    stacks = [(0x7F0010000000, 0x7F0010800000)]
    chart = memory_map.address_strip(memory_map.memory_map(SMAPS, stacks), {})
    assert "; 4 more: 4 kinds; heap, 8.00 KiB" in chart.text
    assert "heap, 8.00 KiB" in [label.get_text() for label in drawn(chart).get_yticklabels()]


def test_each_place_is_pinned_to_its_region_in_the_margin_in_order_of_addresses() -> None:
    from matplotlib.text import Annotation

    chart = memory_map.address_strip(memory_map.memory_map(SMAPS), PLACES)
    ax = drawn(chart)
    pins = [text for text in ax.texts if isinstance(text, Annotation)]
    fallen = sorted(pins, key=lambda pin: -extent(pin).y0)
    names = ["above", "below", "thread", "low"]
    assert [pin.get_text() for pin in fallen] == [f"{name}  {PLACES[name]:#x}" for name in names]
    assert all(extent(pin).x0 > ax.bbox.x1 for pin in fallen)
    assert not overlap(pins)
    spans = [(part.get_y(), part.get_y() + part.get_height()) for part in ax.patches[::3]]
    for pin, region in zip(fallen, (1, 1, 2, 3), strict=True):
        assert spans[region][0] < pin.xy[1] < spans[region][1]
    assert chart.text.endswith(
        "low (0x5000010): heap; thread (0x7f0000000010): heaps of threads; "
        "below (0x7f00107ffff0): mapped memory; above (0x7f00107fffff): mapped memory; "
        "nowhere (0x10): elsewhere."
    )


def test_without_a_map_the_lab_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(memory_map, "SMAPS", tmp_path / "none")
    assert "no /proc/self/smaps" in memory_map.draw_map({}).plain.replace("`", "")
    assert memory_map.kind_at(5) == "mapped memory"


def test_pauses_are_counted_and_the_collector_is_left_as_it_was() -> None:
    callbacks, on = list(gc.callbacks), gc.isenabled()

    def makes_rings() -> None:
        for _ in range(10):
            ring: list[Any] = []
            ring.append(ring)
        gc.collect()

    pauses = collecting.collector_pauses(makes_rings)
    assert pauses.collected >= 9  # the last ring still has a name
    assert 0 < pauses.share <= 100
    assert all(0 <= start < end <= pauses.seconds for start, end in pauses.spans)
    assert "Objects freed: " in pauses.plot().plain
    with pytest.raises(ZeroDivisionError):
        collecting.collector_pauses(lambda: 1 // 0)
    assert (gc.callbacks, gc.isenabled()) == (callbacks, on)
    assert gc.get_freeze_count() < FROZEN_BY_PYTHON


def test_each_pause_belongs_to_a_generation() -> None:
    kept: list[object] = []

    def collects() -> None:
        for generation in (0, 1, 2, 2):
            kept.extend([] for _ in range(1000))
            gc.collect(generation)

    gc.disable()
    try:
        pauses = collecting.collector_pauses(collects)
    finally:
        gc.enable()
    assert pauses.generations == (0, 1, 2, 2)
    assert [len(pauses.of(generation)) for generation in range(3)] == [1, 1, 2]
    one = collecting.Pauses(1.0, ((0.0, 0.1), (0.2, 0.4)), 0, (0, 1))
    assert one.longest == "middle"
    assert one.plot().png


def test_blocks_are_requested_in_a_new_process_or_it_is_said_why_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if blocks.has_glibc():
        table = blocks.show_in_turn([1, 1])
        assert isinstance(table, Table)
        assert table.rows == (
            ("1 MiB", "mapped memory", 0, "mapped memory", 0),
            ("1 MiB", "heap", table.rows[1][2], "mapped memory", 0),
        )
        monkeypatch.setattr(blocks, "_PROGRAM", "1 / 0")
        with raises(LabError, object="the process that requests blocks", received="exit code 1"):
            blocks.in_turn([1])
    monkeypatch.setattr(blocks, "has_glibc", lambda: False)
    assert "needs Linux with glibc" in str(blocks.show_in_turn([1]))


def test_memory_over_time_is_drawn_from_where_it_began() -> None:
    over_time = SimpleNamespace(seconds=[0.0, 1.0], usage=[100.0, 107.0])
    assert "kept: first 0, last 7" in blocks.draw_growth({"kept": over_time}).plain


def test_memray_reports_a_program_or_it_is_said_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "tiny.py"
    program.write_text("kept = bytearray(10_000_000)\n")
    text = networks.memray_stats(str(program), "3").plain
    if sys.platform == "win32" or why_unavailable("memray"):
        assert "then this cell again" in text.replace("\n", " ") or "Linux and macOS" in text
    else:
        assert "Peak memory usage" in text
        assert "tiny.py" in text
    monkeypatch.setattr(sys, "platform", "win32")
    assert "on Linux and macOS only" in networks.memray_stats(str(program)).plain


def test_what_is_left_to_the_collector_is_handed_over_and_forgotten() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.after_step = [self.log]

        def log(self) -> None: ...

    leak = collecting.left_to_the_collector(Trainer)
    assert {"Trainer", "list", "method"} <= {type(each).__name__ for each in leak}
    assert gc.garbage == []
    assert gc.get_debug() == 0
    trainer = next(each for each in leak if isinstance(each, Trainer))
    shown = collecting.show_cycle([trainer, trainer.after_step, trainer.after_step[0]])
    assert isinstance(shown, Table)
    assert shown.column("refers through") == ("after_step", "[0]", "__self__")
    assert shown.column("to an object") == ("list", "method", "Trainer")
    assert isinstance(collecting.show_cycle(None), Page)
    assert isinstance(collecting.show_cycle([]), Page)


def test_the_slides_lines_are_found_in_todays_program() -> None:
    _, names = networks.lecture_program()
    table = networks.published_lines(memory_lines(names["learn"], *names["setup"](4, 5, 3, 2), 1))
    assert len(table) == 6
    assert None not in table.column("yours, MiB")
    assert 3.242 in table.column("published, MiB")
