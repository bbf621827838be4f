"""Sample from another process: py-spy reads the stack from this process's memory.

Its times are random (exponential intervals), so it is never in step with a loop. It does not stop
the program. On Linux a process may have to allow its reader; on macOS py-spy needs root.

Source: https://github.com/benfred/py-spy
"""

from __future__ import annotations

import ctypes
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from hpml.profiling.sampling.observation import (
    CodePlace,
    Observation,
    Stack,
    Unavailable,
    on_this_platform,
    stack_of,
)

_LEAST_RATE = 100  # per second: py-spy notices its end only at a sample
_PR_SET_PTRACER = 0x59616D61  # linux/prctl.h
_FRAME = re.compile(r"(.*?) \((.*?)(?::(\d+))?\)(?:;|$)")
_COUNTS = re.compile(r"Samples: (\d+) Errors: (\d+)")


def observe(run: Callable[[], Any], interval: float) -> tuple[Any, Observation]:
    """Call `run` while py-spy samples this process."""
    rate = max(_LEAST_RATE, round(1 / interval))
    with tempfile.TemporaryDirectory(prefix="hpml-samples-") as folder:
        file = Path(folder, "stacks.txt")
        # --function: a frame's line is its function's first. --idle: also while it sleeps.
        options = ["--nonblocking", "--idle", "--function", "--full-filenames", "--format", "raw"]
        pid = ["--pid", str(os.getpid())]
        command = [_program(), "record", *options, *pid, "--rate", str(rate), "-o", str(file)]
        with _started(command) as spy:
            _allow_reading(spy.pid)
            try:
                _wait_until_it_samples(spy)
                result = run()
                spy.send_signal(_stop_signal())
                said, _ = spy.communicate(timeout=120)
            finally:
                _allow_reading(0)
                spy.kill()
        # A run that ends at once may stop py-spy before it has begun: there are no samples.
        if not file.exists() and said.strip():
            raise RuntimeError(f"py-spy ended without a result: {said.strip()}")
        text = file.read_text("utf-8") if file.exists() else ""
        return result, _observation(text, said, 1 / (rate * interval))


def _program() -> str:
    """Return the path of py-spy, which its wheel installs as a program."""
    try:
        files = metadata.files("py-spy") or []
    except metadata.PackageNotFoundError:
        files = []
    beside = [str(file.locate()) for file in files if file.stem == "py-spy"]
    found = next((path for path in beside if os.access(path, os.X_OK)), shutil.which("py-spy"))
    if found is None:
        raise Unavailable("py-spy is not installed: pip install py-spy")
    return found


def _started(command: list[str]) -> subprocess.Popen[str]:
    """Start py-spy in a process group of its own, which Ctrl-C in a terminal does not reach."""
    group: dict[str, Any] = {"start_new_session": True}
    if on_this_platform("win32"):
        group = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            **group,
        )
    except OSError as error:
        raise Unavailable(f"py-spy does not start: {error}") from error


def _stop_signal() -> int:
    return int(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))


def _allow_reading(pid: int) -> None:
    """Let one process read this one's memory, where the kernel (Yama) asks; 0 ends that."""
    if on_this_platform("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(pid), 0, 0, 0)


def _wait_until_it_samples(spy: subprocess.Popen[str]) -> None:
    """Return once py-spy has read a first stack."""
    assert spy.stdout is not None  # a pipe, see `_started`
    said = []
    for line in spy.stdout:
        if "Sampling process" in line:
            return
        said.append(line.strip())
    raise Unavailable("py-spy may not read this process: " + " ".join(filter(None, said))[:300])


def _observation(text: str, said: str, kept: float) -> Observation:
    """Return the samples in a file of stacks, of which a share is kept, by chance."""
    rng = random.Random(0)
    stacks: Counter[Stack] = Counter()
    for line in text.splitlines():
        frames, _, number = line.rpartition(" ")
        places = (CodePlace(n, f, int(first or 0)) for n, f, first in _FRAME.findall(frames))
        if stack := stack_of(places):
            count = int(number)
            stacks[stack] += count if kept >= 1 else sum(rng.random() < kept for _ in range(count))
    counted = _COUNTS.search(said)
    errors = int(counted[2]) if counted else 0
    seen = {stack: float(count) for stack, count in stacks.items() if count}
    return Observation(seen, errors * min(1.0, kept), "another process")
