"""What Windows and macOS do differently: locks, replacing files, ending processes, encodings.

Each function has a body for Linux and macOS and one for Windows.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

_T = TypeVar("_T")

_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
"""Seconds between attempts to use a file that another program of Windows has open."""
_LOCKED_BYTE = 2**31 - 2
"""The byte that stands for the file. Windows refuses to read a locked byte, so it is past the end;
its function takes positions below 2**31."""
_HELD = (errno.EACCES, errno.EDEADLK)
"""What `msvcrt.locking` raises while another process has the lock."""

_WORDS = {"✓": "ok", "✗": "no", "→": "->", "−": "-", "≈": "about ", "≤": "<=", "≥": ">="}
"""Signs that Windows' encodings for redirected output lack, in words."""


def is_windows() -> bool:
    """Return whether this is Windows."""
    return os.name == "nt"


@contextlib.contextmanager
def locked(stream: IO[Any]) -> Iterator[None]:
    """Lock an open file against other processes that use this function, for a ``with`` block.

    It waits until the file is free. A file system without locks, as some network drives, locks
    nothing: of two simultaneous writes, one may be lost.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as stream, locked(stream):
    ...     stream.write(b"alone")
    5
    """
    take, release = _lock_functions(stream.fileno())
    has_locks = take()
    try:
        yield
    finally:
        if has_locks:
            stream.flush()  # before another process reads
            release()


def _lock_functions(descriptor: int) -> tuple[Callable[[], bool], Callable[[], None]]:
    """Return the functions that take and release the lock of a file."""
    if not is_windows():
        import fcntl

        def flock() -> bool:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            except OSError:  # no locks on this file system
                return False
            return True

        return flock, lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)

    import msvcrt

    functions: Any = msvcrt  # typed for Windows only

    def change(mode: int) -> None:
        before = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            functions.locking(descriptor, mode, 1)
        finally:
            os.lseek(descriptor, before, os.SEEK_SET)

    def take() -> bool:
        while True:
            try:
                change(functions.LK_NBLCK)
            except OSError as error:
                if error.errno not in _HELD:
                    return False
                time.sleep(0.01)
            else:
                return True

    return take, lambda: change(functions.LK_UNLCK)


def retry(action: Callable[[], _T]) -> _T:
    """Return the result of `action`; on Windows, call it again while a file is in use.

    There a virus scanner, OneDrive or another reader keeps a file from being opened or replaced for
    some milliseconds.

    Raises:
        PermissionError: as raised by `action`, on Windows at the last attempt, after 2.6 s.

    >>> retry(lambda: "done")
    'done'
    """
    for pause in _PAUSES if is_windows() else ():
        try:
            return action()
        except PermissionError:
            time.sleep(pause)
    return action()


def replace(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Rename a file and replace `target`, as `os.replace`; see `retry` for Windows."""
    retry(lambda: os.replace(source, target))


def own_group() -> dict[str, Any]:
    """Return the arguments of `subprocess.Popen` for a process that gets no Ctrl-C."""
    if is_windows():
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return {"start_new_session": True}


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that was started with `own_group`, and all that it started."""
    if not is_windows():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        return
    # Windows keeps the number of an ended parent, and `process` keeps it from being used again.
    family = process_tree(process.pid)
    process.kill()
    for pid, _ in family[1:]:
        kill(pid)


def kill(pid: int) -> None:
    """Kill one process; do nothing if it has ended."""
    with contextlib.suppress(OSError):  # SIGTERM kills on Windows
        os.kill(pid, signal.SIGTERM if is_windows() else signal.SIGKILL)


def suspend(pid: int) -> None:
    """Stop a process until `resume`; do nothing if it has ended."""
    _signal(pid, "SIGSTOP", "suspend")


def resume(pid: int) -> None:
    """Let a process run on after `suspend`; do nothing if it has ended."""
    _signal(pid, "SIGCONT", "resume")


def _signal(pid: int, name: str, method: str) -> None:
    if not is_windows():
        with contextlib.suppress(OSError):
            os.kill(pid, getattr(signal, name))
        return
    import psutil

    with contextlib.suppress(psutil.Error):
        getattr(psutil.Process(pid), method)()


def process_tree(pid: int) -> list[tuple[int, int]]:
    """Return a process and its descendants, each with its bytes in physical memory.

    On macOS and Windows that takes some milliseconds, and psutil.
    """
    if has_proc():
        return _tree_of_linux(pid)
    import psutil

    children: dict[int, list[tuple[int, int]]] = {}
    own = 0
    for each in psutil.process_iter(["ppid", "memory_info"]):
        memory = each.info["memory_info"]
        resident = 0 if memory is None else int(memory.rss)
        own = resident if each.pid == pid else own
        children.setdefault(each.info["ppid"], []).append((each.pid, resident))
    found = [(pid, own)]
    for parent, _ in found:
        found += [child for child in children.get(parent, ()) if child not in found]
    return found


def has_proc() -> bool:
    """Return whether the kernel describes each process below ``/proc``, as Linux does."""
    return Path("/proc/self/task").is_dir()


def _tree_of_linux(pid: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    waiting, page = [pid], os.sysconf("SC_PAGE_SIZE")
    while waiting:
        each = waiting.pop()
        resident = 0
        try:
            threads = os.listdir(f"/proc/{each}/task")
        except OSError:
            continue
        for number, thread in enumerate(threads):
            place = f"/proc/{each}/task/{thread}"
            with contextlib.suppress(OSError, ValueError):
                waiting += map(int, Path(place, "children").read_text(encoding="ascii").split())
                # If the first thread has ended, only the other threads report memory.
                if number < 3 and resident == 0:
                    resident = int(Path(place, "statm").read_bytes().split()[1]) * page
        found.append((each, resident))
    return found


def usable_cores() -> int:
    """Return the number of logical cores that this process may use.

    >>> usable_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def page_faults() -> int | None:
    """Return this process's page faults so far, or None if the system does not count them.

    Linux and macOS count those that needed no disk access, Windows counts all.
    """
    if is_windows():
        import psutil

        return getattr(psutil.Process().memory_info(), "num_page_faults", None)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def page_size() -> int:
    """Return the bytes of a page of memory: 4096 on most machines, 16384 on Apple silicon.

    >>> page_size() % 4096
    0
    """
    import mmap

    return mmap.PAGESIZE


def can_print(text: str, stream: IO[str] | None = None) -> bool:
    """Return whether the encoding of a stream, by default standard output, has all characters."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def print_words_for_signs() -> None:
    """Let standard output and error write words for signs that their encoding lacks.

    Redirected to a file, Windows' encoding has no ✓. Characters without a word become ``?``.
    """
    codecs.register_error("hpml.words", _in_words)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not a stream that replaces them in a test
            stream.reconfigure(errors="hpml.words")


def _in_words(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error as `codecs.register_error` describes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_WORDS.get(sign, "?") for sign in signs), error.end
