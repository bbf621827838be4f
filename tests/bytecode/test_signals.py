"""A signal may raise anywhere in the machine; the program meets it as it would without.

Python looks for signals where a function begins, where one written in C has returned, and where a
loop goes back. A profile function is called at the first two, and what it raises goes the same way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hpml.bytecode import Machine, run
from hpml.bytecode.own_code import is_our_code

ROOT = Path(__file__).parents[2]

Log = list[str]
Program = Callable[[list[bool], Log], None]


def exceptions_in_a_loop(armed: list[bool], log: Log) -> None:
    try:
        armed.append(True)
        for n in range(2):
            try:
                with leaving(log):
                    raise ValueError(n)
            except ValueError:
                log.append("handled")
            finally:
                log.append("finally")
        armed.clear()
    except KeyboardInterrupt:
        log.append("caught")


@contextlib.contextmanager
def leaving(log: Log) -> Iterator[None]:
    log.append("enter")
    try:
        yield
    finally:
        log.append("leave")


def exceptions_through_calls(armed: list[bool], log: Log) -> None:
    def inner(n: int) -> int:
        try:
            return 1 // n
        finally:
            log.append("leave")

    def outer() -> None:
        log.append("enter")
        inner(0)

    try:
        armed.append(True)
        try:
            outer()
        except ZeroDivisionError as error:
            try:
                raise LookupError from error
            except LookupError:
                log.append("handled")
        armed.clear()
    except KeyboardInterrupt:
        log.append("caught")


def exceptions_in_generators(armed: list[bool], log: Log) -> None:
    def numbers() -> Iterator[int]:
        log.append("enter")
        try:
            for n in range(3):
                try:
                    yield 6 // n
                except ZeroDivisionError:
                    log.append("handled")
        finally:
            log.append("leave")

    def delegate() -> Iterator[int]:
        log.append("enter")
        try:
            yield from numbers()
        finally:
            log.append("leave")

    try:
        armed.append(True)
        log.append(str(sum(delegate())))

        class Made:
            log.append("body")

        armed.clear()
    except KeyboardInterrupt:
        log.append("caught")


class Interrupter:
    """Raises at the n-th place where Python would look for signals, once a program is armed."""

    def __init__(self, place: int) -> None:
        self.left = place
        self.armed: list[bool] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if self.armed and event in ("call", "c_return") and is_our_code(frame.f_code):
            self.left -= 1
            if self.left < 0:
                self.armed.clear()
                handler: Any = signal.getsignal(signal.SIGINT)
                handler(signal.SIGINT, frame)  # as Python itself calls it


SAMPLES = 60 if os.environ.get("HPML_LONG") else 20
PROGRAMS = [exceptions_in_a_loop, exceptions_through_calls, exceptions_in_generators]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("execute", [run, Machine().trace], ids=["run", "trace"])
def test_an_interrupt_anywhere_reaches_the_handlers_of_the_program(
    program: Program, execute: Callable[..., Any]
) -> None:
    _, all_places, _ = interrupted(execute, program, 10**9)
    wrong = {}
    for place in range(0, all_places, all_places // SAMPLES):
        log, passed, entered = interrupted(execute, program, place)
        if passed <= place:  # the program was over: what is remembered saves a place or two
            assert place > 0.99 * all_places
        elif "caught" not in log or entered not in (0, 1):
            wrong[place] = log
    assert all_places > 300
    assert wrong == {}


def interrupted(execute: Callable[..., Any], program: Program, place: int) -> tuple[Log, int, int]:
    """Return what a program said, the places it passed, and how often it entered and not left."""
    interrupter, log = Interrupter(place), Log()
    before = sys.getprofile()
    sys.setprofile(interrupter)
    try:
        execute(program, interrupter.armed, log)
    except KeyboardInterrupt:
        log.append("escaped")
    finally:
        sys.setprofile(before)
    return log, place - interrupter.left, log.count("enter") - log.count("leave")


class Late(Exception):
    pass


def timed_out() -> list[str]:
    log = []

    def late(number: int, frame: FrameType | None) -> None:
        log.append(frame.f_code.co_name if frame else "none")
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    log.append(str(signal.getsignal(signal.SIGALRM) is late))
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-3)
        while True:
            try:
                raise ValueError
            except ValueError:
                pass
    except Late:
        log.append("caught")
    finally:
        log.append(str(signal.signal(signal.SIGALRM, before) is late))
    return log


needs_a_timer = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="needs a system with setitimer"
)


@needs_a_timer
def test_a_timer_is_caught_by_the_program_that_sets_it() -> None:
    for _ in range(20):
        assert run(timed_out) == ["True", "timed_out", "caught", "True"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@needs_a_timer
def test_no_signal_comes_in_a_hook_that_the_machine_has_set_off() -> None:
    """Packages hook audits, which the machine's own code sets off; a hook stays for good."""
    script = (
        "import sys; sys.addaudithook(lambda *_: [None for _ in range(9)])\n"
        "from tests.bytecode.test_signals import run, timed_out\n"
        "print({tuple(run(timed_out)) for _ in range(30)})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "{('True', 'timed_out', 'caught', 'True')}\n", done.stderr
