"""Holding and ending the processes of a submission, whatever they do to stay.

A process can leave its process group and its session, and can let its parent die; then a search by
group or by parent loses it. Linux has a remedy: a process that declares itself a child subreaper
becomes the parent of every orphan among its descendants. So all that a submission starts stays
below the process that runs it, and is found by following parents in ``/proc``.

A process also can start others faster than they are killed one by one. So they are first all
stopped, which none can refuse, until no new one shows up; then killed; then reaped.

This is no jail: a submission runs as the same user, sees the same files and the same network. See
the README, "For instructors: grading".

Source: ``prctl(2)``, ``PR_SET_CHILD_SUBREAPER`` and ``PR_SET_PDEATHSIG``; ``proc_pid_stat(5)``.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hpml.grading.errors import CannotIsolate, GradingError

__all__ = [
    "Limits",
    "Process",
    "adopting_orphans",
    "below",
    "die_with_parent",
    "end_all",
    "hidden",
    "limit_this_process",
    "processes",
    "reap_all",
    "remove_folder",
    "require_isolation",
]

_PR_SET_PDEATHSIG = 1
_PR_GET_DUMPABLE = 3
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37


@dataclass(frozen=True)
class Limits:
    """What a submission may use. Going over costs it the exercise that ran, and nothing more.

    Attributes:
        memory: bytes of resident memory, over all of its processes together.
        address_space: bytes of address space of one process. Generous: libraries reserve far more
            than they use. It stops a single allocation that polling would see too late.
        processes: how many processes at one time, the worker among them.
        file_size: bytes of the largest file it may write.
        open_files: descriptors of one process.
        printed: characters of its output that are kept, half from the start, half from the end.
        answer: bytes of all answers to one exercise: judging them takes the grader's time.
        notebook: bytes of the notebook file, outputs included.
        start: seconds in which the worker must be there.
        load: seconds for the imports and definitions that an exercise needs.
        submission: seconds for all exercises together.
        poll: seconds between two looks at its processes.
    """

    memory: int = 2 * 2**30
    address_space: int = 16 * 2**30
    processes: int = 64
    file_size: int = 2**28
    open_files: int = 1024
    printed: int = 4000
    answer: int = 8 * 2**20
    notebook: int = 200 * 2**20
    start: float = 30.0
    load: float = 30.0
    submission: float = 300.0
    poll: float = 0.05


@dataclass(frozen=True)
class Process:
    """One process, as ``/proc`` shows it.

    Attributes:
        pid: its number.
        parent: that of its parent.
        session: that of its session.
        state: a letter; ``"T"`` stopped, ``"Z"`` ended and not yet reaped.
        memory: resident bytes.
    """

    pid: int
    parent: int
    session: int
    state: str
    memory: int

    @property
    def still(self) -> bool:
        """Whether it runs none of its instructions: stopped, traced, ended, or in the kernel.

        A stop that was sent takes effect before the kernel returns to the program; so one that
        waits inside the kernel (for the child of a ``vfork``, say) is as good as stopped.
        """
        return self.state in "TtZXD"


def require_isolation() -> None:
    """Refuse where what a submission starts could not be ended.

    Raises:
        CannotIsolate: on a system that is not Linux, or where ``/proc`` or ``prctl`` is missing.
    """
    if not sys.platform.startswith("linux"):
        raise CannotIsolate(
            "Grading runs other people's code and must be able to end every process it starts; "
            f"that needs Linux (a child subreaper), and this is {sys.platform}. Run it in a Linux "
            "container, see README, 'For instructors: grading'."
        )
    try:
        alone = processes()[os.getpid()]
    except (OSError, KeyError, ValueError, IndexError):
        raise CannotIsolate(
            "Grading finds the processes of a submission in /proc, which is missing or unreadable "
            "here; mount it (a container does), then grade again."
        ) from None
    if alone.parent != os.getppid() or _prctl(_PR_GET_CHILD_SUBREAPER, _address()) != 0:
        raise CannotIsolate(
            "Grading must adopt the processes that a submission leaves behind, and this system "
            "does not let it (prctl PR_SET_CHILD_SUBREAPER); use Linux 3.4 or newer, or a "
            "container on one."
        )


@contextlib.contextmanager
def adopting_orphans() -> Iterator[None]:
    """Be the parent of every orphan among this process's descendants, for the time of the block."""
    before = ctypes.c_int(0)
    _prctl(_PR_GET_CHILD_SUBREAPER, ctypes.addressof(before))
    if _prctl(_PR_SET_CHILD_SUBREAPER, 1) != 0:
        raise CannotIsolate("prctl(PR_SET_CHILD_SUBREAPER) was refused; grade in a container.")
    try:
        yield
    finally:
        _prctl(_PR_SET_CHILD_SUBREAPER, before.value)


def die_with_parent(parent: int, number: int = signal.SIGKILL) -> None:
    """Ask the kernel for signal `number` when the parent ends; leave if it already has."""
    _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """Close this process to others of the same user, for the time of the block.

    They can neither trace it, nor read its memory, nor open its pipes through ``/proc``. Root can.
    """
    before = _prctl(_PR_GET_DUMPABLE, 0)
    _prctl(_PR_SET_DUMPABLE, 0)
    try:
        yield
    finally:
        _prctl(_PR_SET_DUMPABLE, before)


def limit_this_process(limits: Limits) -> None:
    """Lower this process's limits for good; its children inherit them."""
    import resource

    for which, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_AS, limits.address_space),
    ):
        _, hard = resource.getrlimit(which)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))


def processes() -> dict[int, Process]:
    """Return every process that this one can see, by number.

    >>> processes()[os.getpid()].parent == os.getppid()
    True
    """
    page = os.sysconf("SC_PAGE_SIZE")
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stream:
                text = stream.read()
        except OSError:  # it ended meanwhile
            continue
        # The command's name stands in parentheses and may hold spaces and parentheses itself.
        fields = text[text.rindex(b")") + 2 :].split()
        pid = int(name)
        found[pid] = Process(
            pid, int(fields[1]), int(fields[3]), fields[0].decode(), int(fields[21]) * page
        )
    return found


def below(root: int, among: dict[int, Process] | None = None) -> list[Process]:
    """Return all descendants of process `root`, parents before children.

    >>> below(os.getpid()) == [] or below(os.getpid())[0].parent == os.getpid()
    True
    """
    among = processes() if among is None else among
    children: dict[int, list[Process]] = {}
    for process in among.values():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found.append(child)
            waiting.append(child.pid)
    return found


def end_all(
    find: Callable[[], Iterable[Process]], reap: Callable[[], object], seconds: float = 20.0
) -> None:
    """Stop, kill and reap every process that `find` finds, until it finds none.

    Args:
        find: returns the processes to end, as they are now.
        reap: collects those that have ended and are children of this process.
        seconds: how long to go on; a process inside the kernel may take a moment to die.

    Raises:
        GradingError: if some are still there at the end.
    """
    deadline = time.monotonic() + seconds
    while True:
        _stop_all(find, deadline)
        left = list(find())
        for process in left:
            _signal(process.pid, signal.SIGKILL)
        reap()
        left = [process for process in find() if process.state != "Z"]
        if not left:
            reap()
            if not list(find()):
                return
        if time.monotonic() > deadline:
            numbers = ", ".join(str(process.pid) for process in left) or "some that have ended"
            raise GradingError(
                f"Processes of a submission could not be ended within {seconds:g} s: {numbers}. "
                "Look at them with `ps`; grade in a container, which ends with all its processes."
            )
        time.sleep(0.001)


def _stop_all(find: Callable[[], Iterable[Process]], deadline: float) -> None:
    """Send SIGSTOP until everything found is still and nothing new appears."""
    told: set[int] = set()
    while time.monotonic() < deadline:
        now = list(find())
        fresh = [process for process in now if process.pid not in told or not process.still]
        if not fresh:
            return
        for process in fresh:
            told.add(process.pid)
            _signal(process.pid, signal.SIGSTOP)


def reap_all() -> list[tuple[int, int]]:
    """Collect every child of this process that has ended; return (pid, wait status) of each.

    Only for a process that has no other use for its children's statuses.
    """
    collected: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return collected
        if pid == 0:
            return collected
        collected.append((pid, status))


def remove_folder(folder: str | os.PathLike[str]) -> None:
    """Remove a folder and all in it, also what was made unreadable; links are not followed.

    Raises:
        GradingError: if something of it stays.
    """
    path = Path(folder)
    if not path.exists() and not path.is_symlink():
        return
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    shutil.rmtree(path, ignore_errors=True)
    if not path.exists():
        return
    _open_up(path)
    for current, names, _ in os.walk(path, followlinks=False):
        for name in names:
            _open_up(Path(current, name))
    shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        raise GradingError(f"The temporary folder {path} of a submission could not be removed.")


def _open_up(path: Path) -> None:
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            path.chmod(0o700)


def _signal(pid: int, number: int) -> None:
    # It may have ended meanwhile, or have become another user's (a set-uid program).
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _prctl(option: int, value: int) -> int:
    return int(_LIBC.prctl(option, ctypes.c_ulong(value), 0, 0, 0)) if _LIBC is not None else -1


def _address() -> int:
    return ctypes.addressof(_SCRATCH)


_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None
_SCRATCH = ctypes.c_int(0)
