"""The process in which a panel's suite runs.

Why a process: a busy kernel does not hear a button, and it talks to the browser while it measures.
The first line on standard input is the order. Any further line, or the end of the input when the
kernel is gone, ends the run after the round in flight. The answer is one line at the end.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from typing import Any

from hpml.base.child_process import take_output, write_message
from hpml.suites import SUITES


def main() -> int:
    """Run one suite as ordered and return the exit code."""
    messages = take_output()
    order = json.loads(sys.stdin.readline())
    stopped = threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        stopped.set()

    threading.Thread(target=listen, daemon=True).start()
    try:
        notes = _run(order, stopped)
    except Exception as error:  # noqa: BLE001 - the panel shows it, whatever it is
        write_message(messages, {"failed": f"{type(error).__name__}: {error}"})
        return 1
    write_message(messages, {"stopped": stopped.is_set(), "notes": " ".join(notes)})
    return 0


def _run(order: dict[str, Any], stopped: threading.Event) -> list[str]:
    from hpml.benchmark.record import write_case

    suite = importlib.import_module(SUITES[order["suite"]][0])
    result = suite.run(
        order["sizes"],
        contenders=order["contenders"],
        rounds=order["rounds"],
        out=order["out"],
        stop=stopped.is_set,
        **order["options"],
    )
    # A suite leaves a case of fewer rounds than asked for out of its record; a panel keeps it.
    for case in result.cases:
        if not case.comparison.complete:
            write_case(order["out"], case)
    return list(result.notes)


if __name__ == "__main__":
    # Leave by os._exit: the listening thread may be waiting on a pipe that is never closed.
    code = main()
    sys.stderr.flush()
    os._exit(code)
