"""Run a program in a process of its own: what it patches or loads is gone with it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_python(program: str, *arguments: str) -> str:
    """Return what a program prints; an exception in it fails the test."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        cwd=ROOT,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
