"""A contender in a process of its own, whose samples still interleave with everyone else's.

A library that changes global state, say by replacing `torch.nn.Module.__call__`, would slow down or
speed up its competitors if it shared their process. It gets one for itself, started once and kept
for the whole comparison. Over a pipe the parent asks for one sample at a time, so a drift of the
machine hits all contenders alike, and only one process works at any moment.

What the rounds cannot show: two processes that run the same program differ by a few per cent,
because each lies differently in memory for as long as it lives. A small ratio between processes is
worth a second run of the whole comparison, with new processes.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import hpml
from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError, WorkerError
from hpml.benchmark.measurement import Environment
from hpml.benchmark.timing import Settings

__all__ = ["ProcessContender", "ProcessSampler"]


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
        module, colon, function = self.target.partition(":")
        if not (module and colon and function):
            raise BenchmarkError(
                f"ProcessContender {self.name!r}: expected a target 'module:function', "
                f"got {describe(self.target)}."
            )

    def open(self, settings: Settings) -> ProcessSampler:
        """Start the process and wait until it is ready.

        Raises:
            WorkerError: if it fails, dies, or is not ready in time.
        """
        return ProcessSampler(self, settings)


class ProcessSampler:
    """Takes samples in another process, see `hpml.benchmark.worker` for the messages.

    The process is killed by `close`, when this object vanishes, and when the interpreter ends.
    """

    process = "own"

    def __init__(self, contender: ProcessContender, settings: Settings) -> None:
        if settings.clock is not None:
            raise BenchmarkError(
                f"ProcessContender {contender.name!r}: a clock cannot be handed to another "
                "process; leave clock=None, or measure the contender in this process."
            )
        self._name = contender.name
        self._timeout = contender.timeout
        # A file, not a pipe: nobody reads it until something goes wrong, and a full pipe blocks.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        order = {
            "target": contender.target,
            "arguments": dict(contender.arguments),
            "settings": asdict(settings),
            "import_path": [entry or os.getcwd() for entry in sys.path],
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hpml.benchmark.worker", json.dumps(order)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            env=_with_hpml_importable(os.environ),
        )
        self.close = weakref.finalize(self, _end, self._process, self._errors)
        try:
            ready = self._answer("start")
        except BaseException:
            self.close()
            raise
        self.timer: str = ready["timer"]
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
        assert self._process.stdin is not None  # for the type checker; Popen was given a pipe
        # If it is gone, reading its answer finds out how.
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        return self._answer(str(request["do"]))

    def _answer(self, doing: str) -> dict[str, Any]:
        assert self._process.stdout is not None
        late = threading.Event()
        process = self._process

        # Not `self`: the alarm's thread must not keep an abandoned sampler alive.
        def too_late() -> None:
            late.set()
            process.kill()

        # Killing it ends the wait: reading then meets the end of the pipe.
        alarm = threading.Timer(self._timeout, too_late)
        alarm.daemon = True
        alarm.start()
        try:
            line = self._process.stdout.readline()
        except ValueError:  # the pipe was closed before
            line = ""
        finally:
            alarm.cancel()
        if not line.endswith("\n"):
            code = self._process.wait()
            how = (
                f"gave no answer within {self._timeout:g} s and was killed"
                if late.is_set()
                else f"ended with exit code {code}"
            )
            raise WorkerError(
                f"Contender {self._name!r}: its process was asked to {doing}, expected an answer, "
                f"but it {how}.{_last_words(self._errors)}"
            )
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(
                f"Contender {self._name!r}: its process was asked to {doing} and raised "
                f"{answer['error']}\n{answer['traceback']}"
            )
        return answer


def _end(process: subprocess.Popen[str], errors: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            # There may be unsent bytes for a process that is gone.
            with contextlib.suppress(OSError):
                stream.close()
    errors.close()


def _last_words(errors: IO[bytes]) -> str:
    """Return the end of what the process wrote to its standard error, for the message."""
    try:
        errors.seek(0)
        text = errors.read()[-2000:].decode("utf-8", errors="replace").strip()
    except ValueError:  # closed: a sample was asked of a process that had been ended on purpose
        return " It had been closed before."
    return f" Its last words:\n{text}" if text else " It wrote nothing to its standard error."


def _with_hpml_importable(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for the worker: ``-m hpml...`` must find this very package."""
    root = str(Path(hpml.__file__).resolve().parents[1])
    before = environment.get("PYTHONPATH")
    return {**environment, "PYTHONPATH": os.pathsep.join([root, before] if before else [root])}
