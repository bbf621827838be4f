"""Run programs in processes of their own: what they patch or load is gone with them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120  # seconds, for a program that hangs


def run_python(program: str, *arguments: str) -> str:
    """Return what a program prints; an exception in it fails the test."""
    (printed,) = run_together([(program, *arguments)])
    return printed


def run_together(programs: Sequence[tuple[str, ...]]) -> list[str]:
    """Run programs with their arguments at the same time; return what each prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(program), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        for program, *arguments in programs
    ]
    try:
        finished = [process.communicate(timeout=LIMIT) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    for process, (_, complaint) in zip(started, finished, strict=True):
        assert process.returncode == 0, complaint
    return [printed for printed, _ in finished]
