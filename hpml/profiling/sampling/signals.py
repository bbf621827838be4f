"""Sample with a signal handler in C, `faulthandler`, which needs no interpreter lock.

A child process sends the signals, at random times, and counts what the handler writes. The handler
walks the stack of a running interpreter, for which not every version of Python is safe.

Source: https://docs.python.org/3/library/faulthandler.html#faulthandler.register
"""

from __future__ import annotations

import ast
import contextlib
import faulthandler
import functools
import json
import linecache
import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from hpml.profiling.sampling.observation import (
    MARK,
    CodePlace,
    Observation,
    Stack,
    Unavailable,
    stack_of,
)

_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_CUT = "  ..."  # after 100 frames

# Reads what the handler writes until the pipe is closed, and counts equal texts.
_SENDER = """
import collections, json, os, random, select, signal, sys, time
pid, interval, head = int(sys.argv[1]), float(sys.argv[2]), b"Stack (most recent call first):"
counts, text, open_ = collections.Counter(), b"", True
print("ready", flush=True)
due = time.monotonic() + random.expovariate(1 / interval)
while open_:
    wait = due - time.monotonic()
    if wait <= 0:
        due += random.expovariate(1 / interval)
        try:
            os.kill(pid, signal.SIGURG)
        except OSError:
            break
    elif select.select([0], [], [], wait)[0]:
        new = os.read(0, 1 << 16)
        open_ = bool(new)
        *whole, text = (text + new).split(head)
        counts.update(whole)
counts[text] += 1
json.dump([[text.decode("ascii", "replace"), n] for text, n in counts.items()], sys.stdout)
"""


def survives(version: tuple[int, ...] = sys.version_info[:3]) -> bool:
    """Return whether this Python's handler is known not to crash the program.

    `tests/profiling/endurance.py` crashes 3.11.7, 3.12.1 and 3.13.0 within seconds. CPython issue
    140815 fixed it.
    """
    return (3, 13, 18) <= version < (3, 14) or version >= (3, 15, 2)


def observe(run: Callable[[], Any], interval: float) -> tuple[Any, Observation]:
    """Call `run` while a child process sends signals to the main thread."""
    _check()
    pid, given = str(os.getpid()), str(interval)
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _SENDER, pid, given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as sender:
        assert sender.stdin is not None
        assert sender.stdout is not None
        try:
            with _handled(sender.stdin.fileno()):
                sender.stdout.readline()
                result = run()
        except BaseException:
            sender.kill()
            raise
        sender.stdin.close()  # it ends at the end of its input
        counts = json.loads(sender.stdout.read())
    return result, _observation(counts)


def _check() -> None:
    if not hasattr(signal, "SIGURG"):
        raise Unavailable("this system has no signals")
    if not survives():
        raise Unavailable("Python's signal handler that writes stacks crashes this version")
    if threading.current_thread() is not threading.main_thread():
        raise Unavailable("signals reach only the main thread")
    if signal.getsignal(signal.SIGURG) is not signal.SIG_DFL:
        raise Unavailable("the program uses the signal SIGURG itself")


@contextlib.contextmanager
def _handled(file: int) -> Iterator[None]:
    """Write the stack at each SIGURG, which does nothing before and afterwards."""
    copy = os.dup(file)
    faulthandler.register(signal.SIGURG, file=copy, all_threads=False)
    try:
        yield
    finally:
        faulthandler.unregister(signal.SIGURG)
        os.close(copy)


def _observation(counts: list[tuple[str, int]]) -> Observation:
    stacks: Counter[Stack] = Counter()
    for text, count in counts:
        frames = [_place(*found) for found in _FRAME.findall(text)][::-1]
        if _CUT in text.splitlines():
            frames = [MARK, CodePlace("(more than 100 calls)", "~", 0), *frames]
        if stack := stack_of(frames):
            stacks[stack] += count
    return Observation({stack: float(n) for stack, n in stacks.items()}, 0.0, "signal handler")


def _place(file: str, line: str, name: str) -> CodePlace:
    if "\\" in file + name:  # as the handler writes what is not ASCII
        file, name = ast.literal_eval(f'"{file}"'), ast.literal_eval(f'"{name}"')
    return CodePlace(name, file, _first_line(file, int(line), name.rpartition(".")[2]))


@functools.lru_cache(maxsize=10_000)
def _first_line(file: str, line: int, name: str) -> int:
    """Return the first line of the function that is at a line; 0 if the source is unknown."""
    starts = [c.co_firstlineno for c in _codes(file) if c.co_name == name and line in _lines(c)]
    return max(starts, default=0)


def _lines(code: CodeType) -> set[int | None]:
    return {code.co_firstlineno, *(line for _, _, line in code.co_lines())}


@functools.lru_cache(maxsize=100)
def _codes(file: str) -> tuple[CodeType, ...]:
    try:
        found = [compile("".join(linecache.getlines(file)), file, "exec")]
    except (SyntaxError, ValueError):
        return ()
    for code in found:  # grows during the loop
        found += [each for each in code.co_consts if isinstance(each, CodeType)]
    return tuple(found)
