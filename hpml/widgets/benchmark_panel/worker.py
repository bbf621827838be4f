"""The process in which a panel's suite runs; it says how far it is and listens for "stop".

Started by `hpml.widgets.benchmark_panel.run`, one for each run. The first line on standard input is
the order, the others are words. Before each case it waits for "go": while the notebook draws what
was measured, nothing is being measured. "stop", or the end of the pipe when the kernel is gone,
ends the run after the round in flight.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterable
from typing import IO, Any

from hpml.base.child_process import take_output, write_message
from hpml.suites import SUITES

_PAUSE = 0.2
"""Seconds between two messages about rounds; more would only keep the notebook busy."""


class RemoteControl:
    """What a suite's `stop` is when a panel runs it: tells, waits, and says whether to stop.

    A suite asks once before each case and once before each round.
    """

    def __init__(self, rounds: int, messages: IO[str]) -> None:
        self._rounds = rounds
        self._messages = messages
        self._asked = 0
        self._told = 0.0
        self._stop = threading.Event()
        self._go = threading.Semaphore(0)

    @property
    def stopped(self) -> bool:
        """Whether the panel asked to stop."""
        return self._stop.is_set()

    def stop(self) -> bool:
        """Say whether to stop; before a case, wait until the panel has drawn."""
        if self._stop.is_set():
            return True
        case, done = divmod(self._asked, self._rounds + 1)
        self._asked += 1
        if done == 0:
            self.tell("case", case=case)
            self._go.acquire()
        elif time.monotonic() - self._told >= _PAUSE or done == 1:
            self._told = time.monotonic()
            self.tell("round", case=case, rounds=done - 1)
        return self._stop.is_set()

    def listen(self, lines: Iterable[str]) -> None:
        """Take words until they end; runs in a thread of its own, which mostly waits."""
        for line in lines:
            if json.loads(line) == "stop":
                break
            self._go.release()
        self._stop.set()
        self._go.release()

    def tell(self, kind: str, **about: Any) -> None:
        """Send one message."""
        write_message(self._messages, {"kind": kind, **about})


def main() -> int:
    """Run one suite as ordered and return the exit code."""
    messages = take_output()
    order = json.loads(sys.stdin.readline())
    control = RemoteControl(order["rounds"], messages)
    threading.Thread(target=control.listen, args=(sys.stdin,), daemon=True).start()
    try:
        notes = _run(order, control)
    except Exception as error:  # noqa: BLE001 - the panel shows it, whatever it is
        control.tell("failed", text=f"{type(error).__name__}: {error}")
        return 1
    control.tell("done", stopped=control.stopped, text=" ".join(notes))
    return 0


def _run(order: dict[str, Any], control: RemoteControl) -> list[str]:
    from hpml.benchmark.record import write_case

    suite = importlib.import_module(SUITES[order["suite"]][0])
    result = suite.run(
        order["sizes"],
        contenders=order["contenders"],
        rounds=order["rounds"],
        out=order["out"],
        stop=control.stop,
        **order["options"],
    )
    # A suite leaves a case of fewer rounds than asked for out of its record; a panel keeps it.
    for case in result.cases:
        if not case.comparison.complete:
            write_case(order["out"], case)
    return list(result.notes)


if __name__ == "__main__":
    # Leaving by os._exit: the listening thread may be waiting on a pipe that nobody closes.
    code = main()
    sys.stderr.flush()
    os._exit(code)
