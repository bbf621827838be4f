"""Talking to one worker: questions as lines of JSON, each answered in time or not at all.

The other end runs a submission, so nothing it does is trusted: an answer must come within its
deadline, be one line of bounded length, be JSON, and carry the number of the question, which is
drawn at random. Whatever else comes is no answer. While it waits, this end drains what the
submission prints, and looks how much memory and how many processes it has.

Only for the warden, the process that adopts and reaps all that a submission starts.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import hpml
from hpml.base.tables import format_bytes, format_seconds
from hpml.course.exercises.outcomes import NoAnswer
from hpml.grading.errors import GradingError, GradingInterrupted
from hpml.grading.isolation import (
    Limits,
    below,
    die_with_parent,
    limit_this_process,
    reap_all,
)

__all__ = ["Conversation", "Printed"]

_PIECE = 1 << 16
# Found by path and not through the worker's own search path, which does not know the course.
_START = (
    "import sys; sys.path.append({root!r}); "
    "from hpml.sandbox.serve import main; main({incoming}, {outgoing})"
)


class Printed:
    """What a submission wrote to its standard output and error: the first and the last of it.

    >>> printed = Printed(8)
    >>> printed.add(b"abcdefgh" * 1000)
    >>> printed.text
    'abcd\\n[7992 bytes left out]\\nefgh'
    """

    def __init__(self, keep: int) -> None:
        self._half = max(1, keep // 2)
        self._first = b""
        self._last = b""
        self._length = 0

    def add(self, data: bytes) -> None:
        """Take more of it."""
        self._length += len(data)
        missing = self._half - len(self._first)
        if missing > 0:
            self._first += data[:missing]
            data = data[missing:]
        self._last = (self._last + data)[-self._half :]

    @property
    def text(self) -> str:
        """The kept text; what was left out is said in its place."""
        left_out = self._length - len(self._first) - len(self._last)
        between = f"\n[{left_out} bytes left out]\n".encode() if left_out else b""
        return (self._first + between + self._last).decode("utf-8", "replace")


class Conversation:
    """One worker, from its start to its end.

    Args:
        folder: its working folder, its home and its place for temporary files.
        limits: what it may use.
        printed: takes what it prints.
        stop: a descriptor that becomes readable, or ends, when the warden is to stop; None without.
        hash_seed: the seed of its string hashes, so that the same seed gives the same order of
            every set.
        hidden: whether other processes of the user may not read its memory: for the reference.

    Attributes:
        ended: the reason why it can answer no more; None while it can.
    """

    def __init__(
        self,
        folder: Path,
        limits: Limits,
        printed: Printed,
        *,
        stop: int | None = None,
        hash_seed: int = 0,
        hidden: bool = False,
    ) -> None:
        self._limits = limits
        self._printed = printed
        self._stop = stop
        self._buffer = bytearray()
        self._received = 0
        self._looked = time.monotonic()
        self.ended: NoAnswer | None = None
        folder.mkdir(parents=True, exist_ok=True)
        theirs_in, self._questions = os.pipe()
        self._answers, theirs_out = os.pipe()
        self._output, theirs_printed = os.pipe()
        parent = os.getpid()

        def before() -> None:
            die_with_parent(parent)
            limit_this_process(limits)

        try:
            self._process = subprocess.Popen(
                _command(theirs_in, theirs_out, hidden=hidden),
                stdin=subprocess.DEVNULL,
                stdout=theirs_printed,
                stderr=theirs_printed,
                pass_fds=(theirs_in, theirs_out),
                cwd=folder,
                env=_environment(folder, hash_seed),
                start_new_session=True,
                preexec_fn=before,  # the warden has no threads
            )
        finally:
            for descriptor in (theirs_in, theirs_out, theirs_printed):
                os.close(descriptor)
        for descriptor in (self._questions, self._answers, self._output):
            os.set_blocking(descriptor, False)
        # A larger pipe means fewer switches between the two for a long case.
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._questions, fcntl.F_SETPIPE_SZ, 1 << 20)

    @property
    def pid(self) -> int:
        """The worker's process number."""
        return self._process.pid

    def ask(self, question: Mapping[str, object], seconds: float) -> dict[str, Any] | NoAnswer:
        """Send a question and return its answer, or why there is none.

        After a `NoAnswer` the worker is of no more use: end it, with all that it started.

        Raises:
            GradingInterrupted: if the warden is to stop.
        """
        number = self.send(question, seconds)
        return number if isinstance(number, NoAnswer) else self.receive(number, seconds)

    def send(self, question: Mapping[str, object], seconds: float) -> str | NoAnswer:
        """Send a question and return the number that its answers must carry."""
        number = secrets.token_hex(8)
        line = json.dumps({**question, "id": number}).encode() + b"\n"
        deadline = time.monotonic() + seconds
        sent = 0
        view = memoryview(line)

        def more() -> bool:
            nonlocal sent
            with contextlib.suppress(BlockingIOError):
                sent += os.write(self._questions, view[sent : sent + _PIECE * 16])
            return sent == len(line)

        if self.ended is None and not self._until(more, deadline, seconds, writes=True):
            return self._no_answer()
        return number if self.ended is None else self.ended

    def receive(self, number: str, seconds: float) -> dict[str, Any] | NoAnswer:
        """Return the next answer, which must carry `number`."""
        deadline = time.monotonic() + seconds

        def more() -> bool:
            if b"\n" in self._buffer:
                return True
            try:
                piece = os.read(self._answers, _PIECE * 16)
            except BlockingIOError:
                return False
            if not piece:
                raise _Gone
            self._buffer += piece
            self._received += len(piece)
            if self._received > self._limits.answer:
                raise _TooLong
            return b"\n" in piece

        if self.ended is None and not self._until(more, deadline, seconds):
            return self._no_answer()
        if self.ended is not None:
            return self.ended
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        answer = _parsed(line)
        if answer is None or answer.get("id") != number:
            return self._end("garbled", "What came back was not an answer to the question asked.")
        return answer

    def close(self) -> None:
        """Close this end; the processes are ended by the warden, with all others."""
        self._drain()
        for descriptor in (self._questions, self._answers, self._output):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._questions = self._answers = self._output = -1
        # It was reaped with the others; this keeps Popen from looking for it.
        if self._process.returncode is None:
            self._process.returncode = -9

    def stopped(self) -> bool:
        """Whether somebody stopped the worker (only another process does that)."""
        found = {process.pid: process for process in below(os.getpid())}.get(self.pid)
        return found is not None and found.state == "T"

    def _until(
        self, more: Callable[[], bool], deadline: float, seconds: float, *, writes: bool = False
    ) -> bool:
        """Call `more` whenever its descriptor is ready, until it returns True."""
        with selectors.DefaultSelector() as selector:
            if writes:
                selector.register(self._questions, selectors.EVENT_WRITE)
            else:
                selector.register(self._answers, selectors.EVENT_READ)
            selector.register(self._output, selectors.EVENT_READ)
            if self._stop is not None:
                selector.register(self._stop, selectors.EVENT_READ)
            try:
                while not more():
                    self._wait(selector, deadline, seconds)
            except (BrokenPipeError, _Gone):
                self._end("ended", self._how_it_ended())
            except _TooLong:
                size = format_bytes(self._limits.answer)
                self._end("garbled", f"Its answers were longer than {size}.")
            except _Refused as refused:
                self._end(refused.reason, refused.text)
        return self.ended is None

    def _wait(self, selector: selectors.BaseSelector, deadline: float, seconds: float) -> None:
        """Wait for the next event, and look after the submission meanwhile."""
        now = time.monotonic()
        if now >= deadline:
            raise _Refused("too slow", f"There was no answer within {format_seconds(seconds)}.")
        until = min(self._looked + self._limits.poll, deadline)
        for key, _ in selector.select(max(0.0, until - now)):
            if key.fd == self._stop:
                raise GradingInterrupted("Grading was told to stop.")
            if key.fd == self._output and not self._drain():
                selector.unregister(self._output)
        if time.monotonic() >= self._looked + self._limits.poll:
            self._look()
            self._looked = time.monotonic()

    def _look(self) -> None:
        """See whether the worker is there, and what it uses."""
        everyone = below(os.getpid())
        alive = [process for process in everyone if process.state != "Z"]
        if self.pid not in {process.pid for process in alive}:
            # What it wrote before it ended is still in the pipe, and is read first.
            if not _readable(self._answers):
                raise _Gone
            return
        if len(alive) > self._limits.processes:
            raise _Refused(
                "too many processes",
                f"It had {len(alive)} processes at one time; {self._limits.processes} are allowed.",
            )
        memory = sum(process.memory for process in alive)
        if memory > self._limits.memory:
            raise _Refused(
                "too much memory",
                f"It used {format_bytes(memory)} of memory; "
                f"{format_bytes(self._limits.memory)} are allowed.",
            )
        # Orphans that ended stay until they are reaped, and count against the system's limit. The
        # worker itself is left for `_how_it_ended`.
        for process in everyone:
            if process.state == "Z" and process.parent == os.getpid() and process.pid != self.pid:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)

    def _drain(self) -> bool:
        """Take what was printed; return whether more may come."""
        # Bounded, so that one who prints for ever does not keep us from its deadline.
        for _ in range(64):
            try:
                piece = os.read(self._output, _PIECE)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not piece:
                return False
            self._printed.add(piece)
        return True

    def _how_it_ended(self) -> str:
        # The channel may be closed a moment before the process has ended.
        status = None
        for _ in range(100):
            for pid, value in reap_all():
                if pid == self.pid:
                    status = value
            if status is not None or self._process.returncode is not None:
                break
            time.sleep(0.002)
        if status is None:
            return "It closed its connection to the grader."
        if os.WIFSIGNALED(status):
            return f"Its process was ended by signal {os.WTERMSIG(status)}."
        return f"Its process ended, with exit code {os.WEXITSTATUS(status)}, before the answer."

    def _end(self, reason: str, text: str) -> NoAnswer:
        self.ended = self.ended or NoAnswer(reason, text)
        return self.ended

    def _no_answer(self) -> NoAnswer:
        if self.ended is None:
            raise GradingError("A conversation failed without a reason; please report this.")
        return self.ended


class _Gone(Exception):
    """The other end of the channel is closed."""


class _TooLong(Exception):
    """The answer exceeds its bound."""


class _Refused(Exception):
    """The submission went over a limit."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason, self.text = reason, text


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the object that the line holds, or None where it is none."""
    try:
        answer = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError, MemoryError):
        return None
    return answer if type(answer) is dict else None


def _readable(descriptor: int) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        return bool(selector.select(0))


def _command(incoming: int, outgoing: int, *, hidden: bool) -> list[str]:
    root = str(Path(hpml.__file__).resolve().parents[1])
    code = _START.format(root=root, incoming=incoming, outgoing=outgoing)
    if hidden:
        # By itself, because starting a program takes it back; PR_SET_DUMPABLE, as `hidden`.
        code = f"import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); {code}"
    # Not -I: it would also ignore PYTHONHASHSEED, the one variable of Python that is set below.
    return [sys.executable, "-P", "-s", "-B", "-c", code]


def _environment(folder: Path, hash_seed: int) -> dict[str, str]:
    """Return all that the worker is told of the world: nothing of the grader's environment."""
    here = str(folder)
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": here,
        "TMPDIR": here,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": str(hash_seed % 2**32),
        "CUDA_VISIBLE_DEVICES": "",
        # One thread each: graders work side by side.
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
    }
