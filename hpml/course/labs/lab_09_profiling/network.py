"""Profile the lecture's network, `nn.py`."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from hpml.course.files import data_file
from hpml.course.this_run import quick
from hpml.profiling import FunctionProfile, read_profile
from hpml.profiling.call_tree import short_name


def profile_command() -> FunctionProfile:
    """Run ``python -m cProfile -o FILE nn.py`` on one thread, and read the file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "nn.prof")
        command = [sys.executable, "-m", "cProfile", "-o", str(file), str(data_file("nn.py"))]
        command += ["50"] if quick() else []
        one = os.environ | {"OMP_NUM_THREADS": "1"}
        subprocess.run(command, check=True, capture_output=True, timeout=300, env=one)
        return read_profile(file)


def learning(steps: int | None = None) -> Callable[[], None]:
    """Return a function that trains the network of `nn.py` without printing."""
    module = runpy.run_path(str(data_file("nn.py")))
    given = module["setup"](*(module[name] for name in ("N", "D_in", "H", "D_out")))
    steps = steps or (50 if quick() else 500)

    def run_nn() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            module["learn"](*given, steps)

    return run_nn


def seconds_of(found: FunctionProfile, name: str) -> tuple[float, float]:
    """Return a function's own and cumulative seconds; of several with the name, the longest."""
    same = [e for key, e in found.stats.items() if short_name(key[2]).rpartition(".")[2] == name]
    return max(((e[2], e[3]) for e in same), key=lambda pair: pair[1])
