from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark.sampling.rounds import FROZEN_BY_PYTHON
from hpml.course.labs.lab_03_memory import collecting, memory_map, networks
from hpml.profiling import memory_lines

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
    large = torch.ones(2**24)
    assert memory_map.kind_at(large.data_ptr()) == "mapped memory"
    with ThreadPoolExecutor(1, "yours") as pool:
        pool.submit(int).result()
        page = memory_map.draw_map({"large": large.data_ptr(), "None": id(None)})
    rows = {row.split("  ")[0]: row for row in page.plain.splitlines()}
    assert rows["the stack of thread yours_0"].endswith("stacks of threads")
    assert rows["large"].endswith("mapped memory")


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
