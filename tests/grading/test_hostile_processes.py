"""Submissions that fight for their processes: to keep them, or to end the grader's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hpml.grading.reports.report import Item
from tests.grading.handed_in import EXPLANATION, TOTAL, hand_in

Graded = Callable[[Path], dict[str, Item]]


def _double(body: str) -> str:
    """Return a `double` that does this in each call."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"def double(n):\n{lines}\n    return 2 * n"


def _rest_is_graded(items: dict[str, Item]) -> None:
    assert items["total"].status == "right"
    assert items["explanation"].status == "right"


IGNORING = """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
"""
BOMB = """
hoard = []
while True:
    hoard.append(bytearray(b"x" * 2**24))
"""
FORKS = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
SELF_STOP = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"
CRASH = "import ctypes\nctypes.string_at(0)"
DEEP = """
import sys
sys.setrecursionlimit(10**9)
def deeper(n): return deeper(n + 1) + 1
class Deep:
    __repr__ = lambda self: repr(self)
deeper(0)
"""

NO_ANSWER = {
    "an endless loop that ignores signals": (IGNORING, "no answer: too slow"),
    "a memory bomb": (BOMB, "no answer: too much memory"),
    "a fork bomb": (FORKS, "no answer: too many processes"),
    "an exit": ("import os\nos._exit(0)", "no answer: ended"),
    "a crash of the interpreter": (CRASH, "no answer: ended"),
    "a process that stops itself": (SELF_STOP, "no answer: too slow"),
    "a process that kills itself": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "no answer: ended",
    ),
}


@pytest.mark.parametrize("what", NO_ANSWER)
def test_what_gives_no_answer_costs_its_exercise_only(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body, reason = NO_ANSWER[what]
    items = beside_a_right_one(hand_in(tmp_path / "one", _double(body), TOTAL, EXPLANATION))
    assert items["double"].earned == 0
    assert items["double"].status == "no answer"
    assert reason in items["double"].text
    _rest_is_graded(items)


AT_LOAD = {
    "loops": "while True: pass",
    "exits": "import os\nos._exit(0)",
}


@pytest.mark.parametrize("what", AT_LOAD)
def test_the_same_while_it_is_loaded(what: str, tmp_path: Path, beside_a_right_one: Graded) -> None:
    body = "\n".join(f"    {line}" for line in AT_LOAD[what].splitlines())
    cell = f"def attack():\n{body}\n\ndef double(n, _=attack()):\n    return 2 * n"
    items = beside_a_right_one(hand_in(tmp_path / "one", cell, TOTAL, EXPLANATION))
    assert items["double"].status == "no answer"
    _rest_is_graded(items)


def test_children_that_leave_their_session_are_ended(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body = """
import os, signal, time
for _ in range(3 if n == 2 else 0):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.chdir("/")
            os.environ.clear()
            while True:
                time.sleep(0.01)
        os._exit(0)
"""
    items = beside_a_right_one(hand_in(tmp_path / "one", _double(body), TOTAL, EXPLANATION))
    # They do no harm while few: the answer is right. That none is left, the fixture asserts.
    assert items["double"].status == "right", items["double"].text
    _rest_is_graded(items)


def test_a_stopped_child_of_its_own_is_ended(tmp_path: Path, beside_a_right_one: Graded) -> None:
    body = """
import os, signal
if os.fork() == 0:
    os.setsid()
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
"""
    items = beside_a_right_one(hand_in(tmp_path / "one", _double(body), TOTAL, EXPLANATION))
    assert items["double"].status == "right", items["double"].text


def test_a_fork_that_comes_back_from_the_call_does_not_answer_as_well(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cell = _double("import os\nif os.fork() == 0: n = n + 1")
    items = beside_a_right_one(hand_in(tmp_path / "one", cell, TOTAL, EXPLANATION))
    assert items["double"].status == "right", items["double"].text


def test_threads_that_never_end_are_ended(tmp_path: Path, beside_a_right_one: Graded) -> None:
    body = """
import threading, time
def for_ever():
    while True:
        time.sleep(0.001)
threading.Thread(target=for_ever).start()
"""
    items = beside_a_right_one(hand_in(tmp_path / "one", _double(body), TOTAL, EXPLANATION))
    assert items["double"].status == "right", items["double"].text
    _rest_is_graded(items)
