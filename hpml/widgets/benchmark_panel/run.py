"""One run of a suite in a process of its own, as a panel follows it.

Why a process: a kernel that is busy does not hear a button, and a kernel that measures is not
alone with what it measures, since it also talks to the browser. In a process of its own a suite is
measured as ``hpml bench`` measures it, Cancel is heard at once, and each case is on disk as soon as
it is finished, so that nothing is lost however the run ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar

import hpml
from hpml.benchmark.record import Case, read_cases


@dataclass(frozen=True)
class Order:
    """What is to be measured.

    Attributes:
        suite: a name in `hpml.suites.SUITES`.
        sizes: one case for each.
        contenders: their names.
        rounds: of each case.
        out: the file for the results, which does not exist yet.
        options: further arguments of the suite's ``run``, plain values.
    """

    suite: str
    sizes: tuple[int, ...]
    contenders: tuple[str, ...]
    rounds: int
    out: Path
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Message:
    """What the process said.

    Attributes:
        kind: "case" before a case, "round" between rounds, "done", or "failed".
        case: how many cases are finished.
        rounds: how many rounds of the present case are.
        stopped: whether it was done because it was asked to stop.
        text: what went wrong, or what the reader should know.
    """

    kind: str
    case: int = 0
    rounds: int = 0
    stopped: bool = False
    text: str = ""


class Run:
    """A started run; iterate over it for its messages, which end with "done" or "failed".

    After each message "case" the process waits for `go`. It is killed by `close`, when this object
    vanishes and when the interpreter ends.

    Args:
        order: what to measure. Another run of this process that is still going on is killed: two
            at once would disturb each other, and a cell that was run again has lost its button.
    """

    _going_on: ClassVar[weakref.WeakSet[Run]] = weakref.WeakSet()

    def __init__(self, order: Order) -> None:
        for other in self._going_on:
            other.kill()
        self._going_on.add(self)
        self.order = order
        self._killed = False
        # A file, not a pipe: nobody reads it until something goes wrong, and a full pipe blocks.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        plain = {
            "suite": order.suite,
            "sizes": order.sizes,
            "contenders": order.contenders,
            "rounds": order.rounds,
            "out": str(order.out),
            "options": dict(order.options),
        }
        # -P: a file of the student's beside the notebook must not stand in for a library.
        command = [sys.executable, "-P", "-m", "hpml.widgets.benchmark_panel.worker"]
        self._process = subprocess.Popen(
            [*command, json.dumps(plain)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            env=_with_this_hpml(),
        )
        self.close = weakref.finalize(self, _end, self._process, self._errors)

    def __iter__(self) -> Iterator[Message]:
        assert self._process.stdout is not None  # for the type checker; Popen was given a pipe
        for line in self._process.stdout:
            said = json.loads(line)
            notes = " ".join(said.pop("notes", []))
            message = Message(**{"text": notes, **said})
            yield message
            if message.kind in ("done", "failed"):
                return
        code = self._process.wait()
        if self._killed:
            yield Message("done", stopped=True)
        else:
            self._errors.seek(0)
            words = self._errors.read()[-1000:].decode("utf-8", errors="replace").strip()
            yield Message(
                "failed", text=f"its process ended with exit code {code}. {words}".strip()
            )

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases recorded so far; one that was stopped has fewer rounds than asked for."""
        return read_cases(self.order.out).cases if self.order.out.exists() else ()

    def go(self) -> None:
        """Let it measure the next case."""
        self._say("go")

    def stop(self) -> None:
        """Ask it to end after the round in flight."""
        self._say("stop")

    def kill(self) -> None:
        """End it now; the case in flight is lost, the finished ones are on disk."""
        self._killed = True
        self._process.kill()

    def _say(self, word: str) -> None:
        assert self._process.stdin is not None
        # If it is gone, reading its messages finds out how.
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(word + "\n")
            self._process.stdin.flush()


def _with_this_hpml() -> dict[str, str]:
    """Return the environment for the process: ``-m hpml...`` must find this very package."""
    root = str(Path(hpml.__file__).resolve().parents[1])
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([root, before] if before else [root])
    return {**os.environ, "PYTHONPATH": path}


def _end(process: subprocess.Popen[str], errors: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            # There may be unsent words for a process that is gone.
            with contextlib.suppress(OSError):
                stream.close()
    errors.close()
