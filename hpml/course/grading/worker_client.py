"""Talk to one worker: questions as lines of JSON, answers within limits."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hpml.base.child_process import ChildEndedError, ChildError, ChildProcess
from hpml.base.system import has_proc, kill, process_tree, resume, suspend
from hpml.base.tables import format_bytes, format_seconds
from hpml.course.grading.sandbox import Limits
from hpml.course.lesson.exercises.outcomes import NoAnswer


class Printed:
    """The first bytes that a submission wrote to standard output and error."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._kept = b""
        self._length = 0

    def add(self, data: bytes) -> None:
        """Add output."""
        self._length += len(data)
        self._kept += data[: self._keep - len(self._kept)]

    @property
    def text(self) -> str:
        """The kept text, and how many bytes were dropped."""
        left_out = self._length - len(self._kept)
        text = self._kept.decode("utf-8", "replace")
        return f"{text}\n[{left_out} more bytes]\n" if left_out else text


class WorkerClient:
    """One worker process and its limits."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        limits: Limits,
        printed: Printed,
        folder: Path | None = None,
    ) -> None:
        self._limits = limits
        self._printed = printed
        self._received = 0
        self._until = float("inf")
        self.ended: NoAnswer | None = None
        self._over: NoAnswer | None = None
        self._closed = threading.Event()
        output, theirs = os.pipe()
        try:
            self._child = ChildProcess(
                command,
                environment=environment,
                folder=folder,
                errors=theirs,
                longest=limits.answer,
            )
        except BaseException:
            os.close(output)
            raise
        finally:
            os.close(theirs)
        self._threads = [
            threading.Thread(target=self._drain, args=(output,), daemon=True),
            threading.Thread(target=self._watch, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The process ID of its first process, outside the sandbox."""
        return self._child.pid

    def ask(self, question: Mapping[str, object], seconds: float) -> dict[str, Any] | NoAnswer:
        """Send a question and return its answer; after a `NoAnswer` the worker is unusable."""
        return self.receive(self.send(question), seconds)

    def load(self, question: Mapping[str, object], seconds: float) -> dict[str, Any] | NoAnswer:
        """Send a question whose answer follows after the number of each cell that is run.

        If no answer follows, its reason names the cell.
        """
        number, until, cell = self.send(question), time.monotonic() + seconds, None
        while True:
            answer = self.receive(number, until - time.monotonic(), seconds)
            if isinstance(answer, NoAnswer):
                where = "" if cell is None else f" Cell {cell} was running."
                self.ended = replace(answer, text=f"{answer.text}{where}")
                return self.ended
            if type(answer.get("cell")) is not int:
                return answer
            cell = answer["cell"]

    def send(self, question: Mapping[str, object]) -> str:
        """Send a question and return the ID that its answers must have."""
        number = secrets.token_hex(8)
        # A process that does not read its input is ended too.
        self._until = min(self._until, time.monotonic() + self._limits.load)
        self._child.send({**question, "id": number})
        return number

    def receive(
        self, number: str, seconds: float, whole: float | None = None
    ) -> dict[str, Any] | NoAnswer:
        """Return the next answer, whose ID must be `number`, within `seconds` of a `whole` time."""
        if self.ended is not None:
            return self.ended
        self._until = time.monotonic() + max(0.0, seconds)
        try:
            answer = self._child.receive()
        except ChildEndedError as error:
            late = f"No answer within {format_seconds(seconds if whole is None else whole)}."
            over = NoAnswer("too slow", late) if self._until < time.monotonic() else None
            return self._end(
                self._over
                or over
                or NoAnswer("ended", f"Its process ended, with exit code {error.exit_code}.")
            )
        except ChildError:
            return self._garbled("The answer was not a line of JSON, or too long.")
        self._until = float("inf")
        if type(answer) is not dict or answer.get("id") != number:
            return self._garbled("The answer does not belong to the request.")
        self._received += len(str(answer.get("outcome", "")))
        if self._received > self._limits.answer:
            size = format_bytes(self._limits.answer)
            return self._garbled(f"Its answers were longer than {size}.")
        return answer

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes during a ``with`` block."""
        stopped: set[int] = set()
        while fresh := {pid for pid, _ in process_tree(self.pid)} - stopped:
            for pid in fresh:
                suspend(pid)
            stopped |= fresh
        try:
            yield
        finally:
            for pid in stopped:
                resume(pid)

    def close(self) -> None:
        """End the worker and all its processes."""
        everyone = [pid for pid, _ in process_tree(self.pid)]
        self._closed.set()
        self._child.close()
        for pid in everyone:  # without a sandbox: processes that left its group
            kill(pid)
        for thread in self._threads:
            thread.join(timeout=5)

    def _garbled(self, text: str) -> NoAnswer:
        return self._end(NoAnswer("garbled", text))

    def _end(self, reason: NoAnswer) -> NoAnswer:
        self.ended = self.ended or reason
        self._child.kill()
        return self.ended

    def _drain(self, output: int) -> None:
        with open(output, "rb", buffering=0) as stream:
            while piece := stream.read(1 << 16):
                self._printed.add(piece)

    def _watch(self) -> None:
        """End the worker when it exceeds a limit."""
        while not self._closed.wait(min(self._limits.poll, max(0.01, self._left()))):
            if self._left() < 0:
                self._child.kill()
                return
            # Elsewhere one's own notebook is checked, and asking would disturb what is timed.
            everyone = process_tree(self.pid) if has_proc() else []
            memory = sum(resident for _, resident in everyone)
            if len(everyone) > self._limits.processes + 2:  # bubblewrap's own two
                text = f"It started more than {self._limits.processes} processes."
                self._over = NoAnswer("too many processes", text)
            elif memory > self._limits.memory:
                most = format_bytes(self._limits.memory)
                text = f"It used {format_bytes(memory)} of memory; the limit is {most}."
                self._over = NoAnswer("too much memory", text)
            if self._over is not None:
                self._child.kill()
                return

    def _left(self) -> float:
        return self._until - time.monotonic()
