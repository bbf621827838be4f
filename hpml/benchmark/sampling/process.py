"""A contender in a process of its own, whose samples still interleave with everyone else's.

A library that changes global state, say by replacing `torch.nn.Module.__call__`, would slow down or
speed up its competitors if it shared their process.

What the rounds cannot show: two processes that run the same program differ by a few per cent,
because each lies differently in memory for as long as it lives. A small ratio between processes is
worth a second run of the whole comparison, with new processes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from hpml.base.child_process import (
    ChildError,
    ChildProcess,
    ChildTimeoutError,
    python_module,
    with_package,
)
from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError, WorkerError, real, text
from hpml.benchmark.measurement import Environment
from hpml.benchmark.sampling.timing import Settings


@dataclass(frozen=True)
class ProcessContender:
    """Code that is measured in a process of its own.

    Attributes:
        name: how tables and pictures call it.
        target: "module:function"; the function is called once in the new process, with
            `arguments`, and returns what to time: a function without arguments, or a `Contender`.
        arguments: keyword arguments for the target, plain values that JSON can carry.
        timeout: seconds that the process may take to start or to answer before it is killed.

    >>> ProcessContender("json", "json:loads", {"s": "1"}).target
    'json:loads'
    """

    name: str
    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 600.0

    def __post_init__(self) -> None:
        text("A contender's name", self.name)
        who = f"ProcessContender {self.name!r}"
        target = self.target if isinstance(self.target, str) else ""
        module, colon, function = target.partition(":")
        if not (module and colon and function) or module == "__main__":
            raise BenchmarkError(
                f"{who}: expected a target 'module:function', got {describe(self.target)}. Put "
                "the function into a separate file: another process cannot import a notebook or "
                "a lambda."
            )
        if not isinstance(self.arguments, Mapping):
            raise BenchmarkError(
                f"{who}: arguments: expected a dict of the target's keyword arguments, got "
                f"{describe(self.arguments)}."
            )
        real(f"{who}: timeout", self.timeout, "seconds of at least 0, a finite number")

    def open(self, settings: Settings) -> ProcessSampler:
        """Start the process and wait until it is ready.

        Raises:
            WorkerError: if it fails, dies, or is not ready in time.
        """
        return ProcessSampler(self, settings)


class ProcessSampler:
    """Takes samples in another process, see `hpml.benchmark.sampling.worker` for the messages."""

    process = "own"
    first = 0.0

    def __init__(self, contender: ProcessContender, settings: Settings) -> None:
        if settings.clock is not None:
            raise BenchmarkError(
                f"ProcessContender {contender.name!r}: a clock cannot be handed to another "
                "process; leave clock=None, or measure the contender in this process."
            )
        self._name = contender.name
        self._timeout = contender.timeout
        self._child = ChildProcess(
            python_module("hpml.benchmark.sampling.worker"), environment=with_package()
        )
        self.close = self._child.close
        order = {
            "do": "start",
            "target": contender.target,
            "arguments": dict(contender.arguments),
            "settings": asdict(settings),
            "import_path": [entry or os.getcwd() for entry in sys.path],
        }
        try:
            ready = self._ask(order)
        except BaseException:
            self.close()
            raise
        self.environment: Environment | None = ready["environment"]

    def call(self) -> object:
        """Make one call in the other process; its result stays there."""
        return self._ask({"do": "call"})

    def result(self) -> object:
        """Make one call in the other process and return its result as plain data."""
        return self._ask({"do": "result"})["result"]

    def elapsed(self, number: int) -> float:
        """Return the seconds that `number` calls took, by the other process's own clock."""
        return float(self._ask({"do": "sample", "number": number})["elapsed"])

    def _ask(self, request: Mapping[str, object]) -> dict[str, Any]:
        asked = f"Contender {self._name!r}: its process was asked to {request['do']}"
        self._child.send(request)
        try:
            answer: dict[str, Any] = self._child.receive(self._timeout)
        except ChildError as error:
            if isinstance(error, ChildTimeoutError):
                # A late answer would be taken for that to the next question.
                self.close()
            raise WorkerError(f"{asked} and gave no answer. {error}") from None
        if "error" in answer:
            raise WorkerError(f"{asked} and raised {answer['error']}\n{answer['traceback']}")
        return answer
