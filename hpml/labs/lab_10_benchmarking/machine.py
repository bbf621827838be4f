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
    """Return what the system says of the first core's clock frequency, as a sentence."""
    folder = root / "sys/devices/system/cpu/cpu0/cpufreq"
    names = ("scaling_cur_freq", "scaling_min_freq", "scaling_max_freq")
    try:
        now, low, high = (int((folder / name).read_text()) / 1e6 for name in names)
        governor = (folder / "scaling_governor").read_text().strip()
    except (OSError, ValueError):
        return "this system does not say at which its cores run; most virtual machines do not."
    return f"the first core runs at {now:.2f} GHz, of {low:.2f} to {high:.2f}: “{governor}”."
