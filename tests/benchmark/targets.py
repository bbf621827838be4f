"""What the tests run in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable


def numbers(count: int) -> Callable[[], list[float]]:
    return lambda: [float(i) for i in range(count)]


def fails_when_called() -> Callable[[], None]:
    def run() -> None:
        raise ZeroDivisionError("by the contender")

    return run


def dies_when_called() -> Callable[[], None]:
    def run() -> None:
        print("these were my last words", file=sys.stderr, flush=True)
        os._exit(3)

    return run


def hangs() -> Callable[[], None]:
    return lambda: time.sleep(3600)


def not_callable() -> int:
    return 3


def reads_input() -> Callable[[], str]:
    command = [sys.executable, "-c", "import sys; print(sys.stdin.read(), end='')"]
    return lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout


def dies_late(calls: int) -> Callable[[], None]:
    left = iter(range(calls))

    def run() -> None:
        if next(left, None) is None:
            os._exit(3)

    return run
