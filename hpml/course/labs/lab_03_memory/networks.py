"""Tables and figures of lab 03: the lecture's memory profile, and bytes kept by autograd."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base import style, system
from hpml.base.charts import Bar, bars, show
from hpml.base.errors import describe
from hpml.base.optional import why_unavailable
from hpml.base.page import Page, say, show_code
from hpml.base.tables import Table, format_bytes
from hpml.course.files import data_file, published
from hpml.course.packages import install_command
from hpml.profiling import LineMemory, saved_tensors

if TYPE_CHECKING:
    import torch


def lecture_program() -> tuple[str, dict[str, Any]]:
    """Return the path of the lecture's nn.py, and the names that it defines."""
    path = str(data_file("nn.py"))
    return path, runpy.run_path(path)


def published_lines(measured: LineMemory) -> Table:
    """Return the increments on the lecture's slide next to the measured ones."""
    own = {_key(line.text): line.increment for line in measured.lines}
    rows = [
        [row["line"], row["increment"], own.get(_key(row["line"]))]
        for row in published("mlp_memory_profiler")["rows"]
        if not row["line"].startswith("@")
    ]
    form = "{:.3f}".format
    return Table(
        ["line", "published, MiB", "yours, MiB"],
        rows,
        title="Increments: the slide (published) beside yours",
        caption="Published: PyTorch before 0.4. Yours: the larger network, five steps.",
        align=["left", "right", "right"],
        formats={"published, MiB": form, "yours, MiB": form},
    )


def _key(line: str) -> str:
    """Return the part of a line of code that is the same in the slide and in nn.py."""
    return "".join(letter for letter in line.split("(")[0] if letter.isalnum())[:14]


def draw_saved(
    nets: Mapping[str, torch.nn.Module],
    x: torch.Tensor,
    predict: Callable[[torch.nn.Module, torch.Tensor], Any],
) -> Page:
    """Draw the bytes that autograd keeps for some networks, with a student's predictions."""
    rows = []
    for name, net in nets.items():
        measured, predicted = saved_tensors(net, x).total, _prediction(predict, net, x)
        answer = format_bytes(predicted) if type(predicted) is int else predicted
        text = f"{format_bytes(measured)}; yours: {answer}"
        colour = style.PASS if predicted == measured else style.UNKNOWN
        rows.append(Bar(name, measured / 2**10, text, colour=colour))
    chart = bars(rows, title="Kept for the backward pass", x="KiB, measured")
    return show(chart, caption="Green: your prediction equals the measured number of bytes.")


def _prediction(predict: Callable[..., Any], net: torch.nn.Module, x: torch.Tensor) -> int | str:
    try:
        found = predict(net, x)
    except Exception as error:  # noqa: BLE001 - any exception of the student's code is reported
        return f"raises {type(error).__name__}"
    if found is None:
        return "not written yet"
    return found if type(found) is int else describe(found)


def page_faults(run: Callable[[], Any]) -> int | None:
    """Return the number of page faults during a call of `run`; see `system.page_faults`."""
    before = system.page_faults()
    run()
    after = system.page_faults()
    return None if before is None or after is None else after - before


def memray_stats(program: str, *arguments: str) -> Page:
    """Return what memray reports of a Python program in a process of its own, shortened."""
    if sys.platform == "win32":
        return say("memray follows programs on Linux and macOS only.")
    if reason := why_unavailable("memray"):
        how = f"To get it, run `{install_command('memray')}`, then this cell again."
        return say(f"**Nothing is recorded here**: {reason}. {how}")
    with tempfile.TemporaryDirectory() as folder:
        record = str(Path(folder, "nn.bin"))
        run = ["run", "--quiet", "-o", record, program, *arguments]
        texts = []
        for words in (run, ["stats", "-n", "3", record]):
            command = [sys.executable, "-m", "memray", *words]
            ran = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
                env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
            )
            if ran.returncode:
                return show_code(ran.stderr[-1000:], f"memray {words[0]} failed")
            texts.append(ran.stdout)
    # Without colours, progress, the histogram, and signs that not every font has.
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", texts[-1]).encode("ascii", "ignore").decode()
    parts = plain[plain.find("Total allocations") :].split("\n\n")
    shown = "\n\n".join(
        part.strip() for part in parts if not re.search("istogram|type|number", part)
    )
    called = f"{Path(program).name} {' '.join(arguments)}"
    return show_code(shown, f"$ memray run -o nn.bin {called} && memray stats nn.bin, shortened")
