"""Run code that changes global state, may hang or may crash in a child process.

Parent and child exchange one JSON value per line over two pipes:

>>> echo = "import sys\\nfor line in sys.stdin: print(line, end='', flush=True)"
>>> child = ChildProcess([sys.executable, "-c", echo])
>>> child.send({"layers": 250})
>>> child.receive(seconds=30)
{'layers': 250}
>>> child.close()
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from hpml.base.errors import HpmlError, describe
from hpml.base.system import kill_group, own_group


class ChildError(HpmlError):
    """A child process sent no valid message."""


class ChildEndedError(ChildError):
    """The process has ended with `exit_code`, or None if the parent closed it before."""

    def __init__(self, sentence: str = "", *, exit_code: int | None = None, **parts: str) -> None:
        super().__init__(sentence, **parts)
        self.exit_code = exit_code


class ChildTimeoutError(ChildError):
    """The process sent nothing in time; it still runs, and may answer later."""


class ChildProcess:
    """A child process that exchanges lines of JSON; ending it ends its whole process group."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | os.PathLike[str] | None = None,
        errors: int | None = None,
        longest: int = -1,
    ) -> None:
        self._name = f"process {Path(command[0]).name}"
        self._longest = longest
        # A file, not a pipe: it is read only after an error, and a full pipe would block.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors if errors is None else errors,
                env=None if environment is None else dict(environment),
                cwd=folder,
                # It can be killed as a whole, and gets no Ctrl-C.
                **own_group(),
            )
        except BaseException:
            self._errors.close()
            raise
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # Not a method, which would keep an abandoned child alive.
        threading.Thread(
            target=_read, args=(self._process.stdout, self._lines, longest), daemon=True
        ).start()
        self._finish = weakref.finalize(self, _end, self._process, self._errors)

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._process.pid

    def send(self, message: object) -> None:
        """Send one value; if the process has ended, the next `receive` raises."""
        line = json.dumps(message).encode() + b"\n"
        assert self._process.stdin is not None  # for the type checker
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next value that the process sent."""
        if not self._finish.alive:
            raise ChildEndedError(
                object=self._name,
                expected="a running process",
                received="one that was closed",
                remedy="Start another one.",
            )
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise ChildTimeoutError(
                object=self._name,
                expected=f"an answer within {seconds:g} s",
                received="none",
                remedy="It still runs: wait for longer, or close it.",
            ) from None
        if not line.endswith(b"\n"):
            self._lines.put(b"")  # the next read gets the same answer
            if 0 <= self._longest <= len(line):
                raise ChildError(
                    object=self._name,
                    expected=f"lines of at most {self._longest} bytes",
                    received="a longer one",
                    remedy="Send less at once.",
                )
            try:
                code = self._process.wait(timeout=1)
            except subprocess.TimeoutExpired:  # it closed its output but still runs
                self.kill()
                code = self._process.wait()
            words = self.last_words()
            raise ChildEndedError(
                object=self._name,
                expected="an answer",
                received=f"exit code {code}",
                remedy=f"Read what it wrote to standard error:\n{words}"
                if words
                else "It wrote nothing to standard error; run its command in a terminal.",
                exit_code=code,
            )
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise ChildError(
                object=self._name,
                expected="a line of JSON",
                received=describe(line),
                remedy="Check whether other code writes to its standard output.",
            ) from None

    def last_words(self, length: int = 2000) -> str:
        """Return the last characters of the process's standard error."""
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        return self._errors.read()[-length:].decode("utf-8", errors="replace").strip()

    def kill(self) -> None:
        """Kill the process and its group; messages already sent can still be received."""
        kill_group(self._process)

    def close(self) -> None:
        """End the process and its group, and close the pipes; a second call does nothing."""
        self._finish()


def python_module(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module in this Python, without the folder in its path."""
    return [sys.executable, "-P", "-m", module, *arguments]


def with_package() -> dict[str, str]:
    """Return this environment, changed so that ``import hpml`` finds this package."""
    root, path = str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, path] if path else [root])}


def _read(stream: IO[bytes], lines: queue.SimpleQueue[bytes], longest: int) -> None:
    with stream:
        line = b"\n"
        while line.endswith(b"\n"):
            line = stream.readline(longest)
            lines.put(line)


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    kill_group(process)
    process.wait()
    assert process.stdin is not None
    # Flushing unsent bytes to an ended process fails. `_read` closes the other pipe.
    with contextlib.suppress(OSError):
        process.stdin.close()
    errors.close()
