"""The lecture's program runs under each profiler as the slides show it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from hpml.base import data_file
from hpml.profiling import read_profile

PROGRAM = str(data_file("nn.py"))


def python(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_saved_profile_is_read(tmp_path: Path) -> None:
    file = tmp_path / "nn.prof"
    python("-m", "cProfile", "-o", str(file), PROGRAM, "3")
    (row,) = read_profile(file).table(search="(learn)").rows
    assert row[0] == "1"


def test_memory_profiler_prints_a_line_for_each_line() -> None:
    printed = python("-m", "memory_profiler", PROGRAM, "2")
    assert re.search(r"MiB +2 +loss.backward\(\)", printed)
    assert "Line #" in printed
