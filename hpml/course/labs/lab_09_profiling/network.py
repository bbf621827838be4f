"""Profile the lecture's `nn.py`, and compare with the slide's table."""

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

from hpml.base.tables import Table
from hpml.course.files import data_file, published
from hpml.course.this_run import quick
from hpml.profiling import FunctionProfile, read_profile
from hpml.profiling.call_tree import short_name

# The names on the slide, and their names today.
_TODAY = {
    "run_backward": "torch._C._EngineBase.run_backward",
    "addmm": "torch._C._nn.linear",
    "_imp.create_dynamic": "_imp.create_dynamic",
    "module.named_parameters": "named_parameters",
}


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


def beside_the_slide(found: FunctionProfile) -> Table:
    """Return the slide's rows next to those of a profile of the same program."""
    slide = published("mlp_cprofile")
    rows: list[list[object]] = []
    for row in slide["rows"]:
        today = _TODAY[row["function"]]
        same = [entry for name, entry in found.stats.items() if short_name(name[2]) == today]
        calls, own = sum(entry[1] for entry in same), sum(entry[2] for entry in same)
        share = own / found.seconds
        rows.append([row["function"], row["ncalls"], row["tottime"] / slide["total_s"],
                     calls, share, today])  # fmt: skip
    slides = f"{slide['function_calls']}/{slide['primitive_calls']}"
    rows.append(["all", slides, 1.0, f"{found.calls}/{found.primitive_calls}", 1.0, ""])
    return Table(
        ["function", "slide: calls", "share", "yours: calls", "your share", "name today"],
        rows,
        caption=f"Slide: {slide['total_s']} s, as published. Yours: {found.seconds:.3f} s.",
        formats={"share": "{:.1%}".format, "your share": "{:.1%}".format},
        align=["left", "right", "right", "right", "right", "left"],
    )


def seconds_of(found: FunctionProfile, name: str) -> tuple[float, float]:
    """Return a function's own and cumulative seconds; of several with the name, the longest."""
    same = [e for key, e in found.stats.items() if short_name(key[2]).rpartition(".")[2] == name]
    return max(((e[2], e[3]) for e in same), key=lambda pair: pair[1])
