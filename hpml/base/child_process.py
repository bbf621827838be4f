"""A process of one's own that is spoken to in lines of JSON, and ended with all that it started.

What changes global state, may hang or may die gets a process of its own. Over two pipes the parent
sends a value a line and receives a value a line, each with a deadline if it likes:

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
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from hpml.base.errors import HpmlError, describe


class ChildError(HpmlError):
    """A child process gave no answer that could be used."""


class ChildEndedError(ChildError):
    """The process has ended; `exit_code` says how, and is None if it was closed before."""

    def __init__(self, message: str, exit_code: int | None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class ChildTimeoutError(ChildError):
    """The process gave no answer in time; it still runs, and may answer late."""


class ChildProcess:
    """A process that is spoken to in lines of JSON."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | os.PathLike[str] | None = None,
        errors: int | None = None,
        longest: int = -1,
    ) -> None:
        self._longest = longest
        # A file, not a pipe: it is read only if something goes wrong, and a full pipe blocks.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors if errors is None else errors,
                env=None if environment is None else dict(environment),
                cwd=folder,
                # A group of its own: its end is everybody's end, and Ctrl-C is the parent's.
                start_new_session=True,
            )
        except BaseException:
            self._errors.close()
            raise
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # Not a method: the thread must not keep an abandoned child alive.
        threading.Thread(
            target=_read, args=(self._process.stdout, self._lines, longest), daemon=True
        ).start()
        self._finish = weakref.finalize(self, _end, self._process, self._errors)

    @property
    def pid(self) -> int:
        """The number of the process, and of its group."""
        return self._process.pid

    def send(self, message: object) -> None:
        """Send one value; nothing happens if the process is gone, `receive` finds out how."""
        line = json.dumps(message).encode() + b"\n"
        assert self._process.stdin is not None  # for the type checker; Popen was given a pipe
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next value that the process sent."""
        if not self._finish.alive:
            raise ChildEndedError("The process was already closed.", None)
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise ChildTimeoutError(f"The process did not answer within {seconds:g} s.") from None
        if not line.endswith(b"\n"):
            self._lines.put(b"")  # the next read gets the same answer
            if 0 <= self._longest <= len(line):
                raise ChildError(f"The process sent a line of more than {self._longest} bytes.")
            try:
                code = self._process.wait(timeout=1)
            except subprocess.TimeoutExpired:  # it closed its output and goes on: of no more use
                self.kill()
                code = self._process.wait()
            words = self.last_words()
            output = f"It wrote:\n{words}" if words else "It wrote nothing to standard error."
            raise ChildEndedError(f"The process ended with exit code {code}. {output}", code)
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise ChildError(
                f"The process sent {describe(line)}, expected a line of JSON; is something else "
                "writing to its standard output?"
            ) from None

    def last_words(self, length: int = 2000) -> str:
        """Return the end of what the process wrote to its standard error."""
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        return self._errors.read()[-length:].decode("utf-8", errors="replace").strip()

    def kill(self) -> None:
        """End the process and its group now; what it sent before can still be received."""
        _kill_group(self._process)

    def close(self) -> None:
        """End the process and its group, and give back the pipes; a second time does nothing."""
        self._finish()


def python_module(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module in this Python, with files of the folder left out."""
    return [sys.executable, "-P", "-m", module, *arguments]


def with_package(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment in which ``import hpml`` finds this very package."""
    before = dict(os.environ if environment is None else environment)
    root = str(Path(__file__).resolve().parents[2])
    path = before.get("PYTHONPATH")
    return {**before, "PYTHONPATH": os.pathsep.join([root, path] if path else [root])}


def _read(stream: IO[bytes], lines: queue.SimpleQueue[bytes], longest: int) -> None:
    with stream:
        line = b"\n"
        while line.endswith(b"\n"):
            line = stream.readline(longest)
            lines.put(line)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    _kill_group(process)
    process.wait()
    assert process.stdin is not None
    # There may be unsent bytes for a process that is gone. The other pipe is its reader's.
    with contextlib.suppress(OSError):
        process.stdin.close()
    errors.close()
