"""This machine: what its clock frequency is, and what a command prints on it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from hpml.base.page import Page, show_code


def command_output(line: str) -> Page:
    """Run a command line that begins with ``python``, in this Python, and show what it prints.

    >>> command_output("python -c 'print(3)'")
    $ python -c 'print(3)'
    3
    """
    _, *arguments = shlex.split(line)
    with tempfile.TemporaryDirectory() as folder:  # a file of the student's could hide a module
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, cwd=folder, check=False
        )
    return show_code(done.stdout + done.stderr, f"$ {line}")


def frequency(root: Path = Path("/")) -> str:
    """Return what the system says of the first core's clock frequency, as a sentence.

    >>> frequency(Path("/nowhere"))
    'This system does not say at which frequency its processor runs.'
    """
    folder = root / "sys/devices/system/cpu/cpu0/cpufreq"
    names = ("scaling_cur_freq", "scaling_min_freq", "scaling_max_freq")
    try:
        now, low, high = (int((folder / name).read_text()) / 1e6 for name in names)
    except (OSError, ValueError):
        return _of_processor(root)
    governor = folder / "scaling_governor"
    rule = f", chosen by “{governor.read_text().strip()}”" if governor.exists() else ""
    return f"The first core runs at {now:.2f} GHz, of {low:.2f} to {high:.2f}{rule}."


def _of_processor(root: Path) -> str:
    try:
        lines = (root / "proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        speed = next(float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz"))
    except (OSError, ValueError, StopIteration):
        return "This system does not say at which frequency its processor runs."
    return (
        f"Its processor is said to run at {speed / 1000:.2f} GHz; whether that changes, this "
        "system does not say, as in most virtual machines."
    )
