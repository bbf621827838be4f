"""One run of a suite in a process of its own, as a panel follows it.

Why a process: a kernel that is busy does not hear a button, and a kernel that measures is not
alone with what it measures, since it also talks to the browser. In a process of its own a suite is
measured as ``hpml bench`` measures it, Cancel is heard at once, and each case is on disk as soon as
it is finished, so that nothing is lost however the run ends.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from hpml.base.child_process import ChildEndedError, ChildProcess, python_module, with_package
from hpml.benchmark.record import Case, read_cases


@dataclass(frozen=True)
class Order:
    """What is to be measured: one case a size, recorded in a file that does not exist yet."""

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

    After each message "case" the process waits for `go`. Another run of this process that is still
    going on is killed: two at once would disturb each other, and a cell that was run again has lost
    its button.
    """

    _going_on: ClassVar[weakref.WeakSet[Run]] = weakref.WeakSet()

    def __init__(self, order: Order) -> None:
        for other in self._going_on:
            other.kill()
        self._going_on.add(self)
        self.order = order
        self._killed = False
        self._child = ChildProcess(
            python_module("hpml.widgets.benchmark_panel.worker"), environment=with_package()
        )
        self._child.send({**asdict(order), "out": str(order.out)})

    def __iter__(self) -> Iterator[Message]:
        message = Message("")
        while message.kind not in ("done", "failed"):
            try:
                message = Message(**self._child.receive())
            except ChildEndedError as error:
                words = f"its process ended with exit code {error.exit_code}. "
                words = (words + self._child.last_words(1000)).strip()
                message = Message("done" if self._killed else "failed", stopped=True, text=words)
            yield message

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases recorded so far; one that was stopped has fewer rounds than asked for."""
        return read_cases(self.order.out).cases if self.order.out.exists() else ()

    def go(self) -> None:
        """Let it measure the next case."""
        self._child.send("go")

    def stop(self) -> None:
        """Ask it to end after the round in flight."""
        self._child.send("stop")

    def kill(self) -> None:
        """End it now; the case in flight is lost, the finished ones are on disk."""
        self._killed = True
        self._child.kill()

    def close(self) -> None:
        """End its process, if it has not ended."""
        self._child.close()
