"""The grader's side: wardens that work side by side, watched, and replaced when one is lost.

One thread and one loop: it hands each warden a submission, collects what it tells, and looks
whether it still lives. A warden that a submission has ended or stopped is found by waiting for it
and by this process's own clock; then everything that hangs below it is ended, what the submission
had not been graded for yet gets 0 points with the reason, and a new warden goes on.

When a warden dies, the processes that it had adopted come to this process, for it adopts orphans as
well for as long as it grades. They are told from other children by their session: each worker has
a session of its own, and no process can join one that it was not born into.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import hpml
from hpml.base.tables import format_seconds
from hpml.grading.errors import GradingError
from hpml.grading.isolation import (
    Limits,
    Process,
    adopting_orphans,
    below,
    end_all,
    hidden,
    processes,
    remove_folder,
    require_isolation,
)
from hpml.grading.report import Item
from hpml.grading.warden import blanks, job

__all__ = ["CATALOGUE", "Crew", "Task"]

CATALOGUE = "hpml.labs.catalogue"

_TICK = 0.1
# What the warden may need beyond the submission's time: starting, judging, ending processes.
_MARGIN = 60.0


@dataclass(frozen=True)
class Task:
    """One submission to grade.

    Attributes:
        name: how it is called.
        notebooks: the notebook of each lab, in the order of the report; also where it is missing.
        seed: what the cases are made with.
        names: only these exercises; all if None.
    """

    name: str
    notebooks: Mapping[str, Path]
    seed: int
    names: tuple[str, ...] | None = None


@dataclass
class _Warden:
    """A warden's process, and what it is working on."""

    process: subprocess.Popen[bytes]
    folder: Path
    buffer: bytearray = field(default_factory=bytearray)
    index: int | None = None
    items: dict[tuple[str, str], Item] = field(default_factory=dict)
    begun: tuple[str, str] | None = None
    since: float = 0.0
    until: float = 0.0

    @property
    def jobs(self) -> int:
        """The descriptor that takes jobs."""
        assert self.process.stdin is not None  # for the type checker; Popen was given a pipe
        return self.process.stdin.fileno()

    @property
    def answers(self) -> int:
        """The descriptor that gives answers."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()


class Crew:
    """Wardens at work, for the time of a ``with`` block.

    Args:
        jobs: how many submissions are graded at the same time.
        limits: what a submission may use.
        catalogue: the module that knows the exercises.

    Raises:
        CannotIsolate: where the system cannot end what a submission starts.
    """

    def __init__(
        self, jobs: int = 1, *, limits: Limits | None = None, catalogue: str = CATALOGUE
    ) -> None:
        require_isolation()
        if jobs < 1:
            raise GradingError(f"jobs: expected a number of 1 or more, got {jobs}.")
        self._jobs = jobs
        self._limits = limits or Limits()
        self._catalogue = catalogue
        self._wardens: list[_Warden] = []
        self._exits = contextlib.ExitStack()
        self._known: set[int] = set()

    def __enter__(self) -> Self:
        self._known = {process.pid for process in self._children()}
        self._exits.enter_context(adopting_orphans())
        self._exits.enter_context(hidden())
        name = tempfile.mkdtemp(prefix="hpml-grading-")
        self._folder = Path(name)
        self._exits.callback(remove_folder, self._folder)
        return self

    def __exit__(self, *error: object) -> None:
        try:
            for warden in self._wardens:
                assert warden.process.stdin is not None
                # Each ends what is below it, and itself, when it sees this end closed.
                warden.process.stdin.close()
            for warden in self._wardens:
                self._dismiss(warden)
            self._end_adopted()
        finally:
            self._wardens.clear()
            self._exits.close()

    def grade(self, tasks: Sequence[Task]) -> Iterator[tuple[int, tuple[Item, ...], float]]:
        """Grade all tasks; yield (place in `tasks`, items, seconds) of each when it is done."""
        waiting = list(range(len(tasks)))[::-1]
        while waiting or any(warden.index is not None for warden in self._wardens):
            self._bury()
            for warden in self._idle(len(waiting)):
                index = waiting.pop()
                self._begin(warden, index, tasks[index])
            for warden in self._heard():
                trouble = self._trouble(warden)
                if warden.index is None:
                    continue
                if trouble or warden.until == 0.0:
                    yield self._finished(warden, tasks[warden.index], trouble)

    def _bury(self) -> None:
        """Let go of wardens that ended while they had no work."""
        for warden in list(self._wardens):
            if warden.index is None and warden.process.poll() is not None:
                self._replace(warden)

    def _idle(self, wanted: int) -> list[_Warden]:
        """Return wardens without work, as many as wanted, starting some where there are too few."""
        while (
            len(self._wardens) < self._jobs
            and sum(warden.index is None for warden in self._wardens) < wanted
        ):
            self._wardens.append(self._hire())
        return [warden for warden in self._wardens if warden.index is None][:wanted]

    def _hire(self) -> _Warden:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        # It must find this very package, wherever this process found it.
        root = str(Path(hpml.__file__).resolve().parents[1])
        path = os.pathsep.join([root, *(entry for entry in sys.path if entry and entry != root)])
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "hpml.grading.warden", str(os.getpid()), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            # Out of reach of a Ctrl-C, which is for this process, and of signals to its group.
            start_new_session=True,
            bufsize=0,
        )
        warden = _Warden(process, folder)
        os.set_blocking(warden.answers, False)
        return warden

    def _begin(self, warden: _Warden, index: int, task: Task) -> None:
        order = job(
            task.notebooks,
            folder=warden.folder / "submission",
            seed=task.seed,
            limits=self._limits,
            catalogue=self._catalogue,
            names=task.names,
        )
        warden.index, warden.items, warden.begun = index, {}, None
        warden.since = time.monotonic()
        warden.until = warden.since + self._limits.submission + _MARGIN
        line = json.dumps(order).encode() + b"\n"
        # If it is gone, that is noticed when it is looked after.
        with contextlib.suppress(OSError):
            while line:
                line = line[os.write(warden.jobs, line) :]

    def _heard(self) -> list[_Warden]:
        """Wait for news, take them in, and return the wardens that have work."""
        with selectors.DefaultSelector() as selector:
            for warden in self._wardens:
                selector.register(warden.answers, selectors.EVENT_READ, warden)
            for key, _ in selector.select(_TICK):
                _take(key.data)
        return [warden for warden in self._wardens if warden.index is not None]

    def _trouble(self, warden: _Warden) -> str:
        """Return why the warden is of no more use; empty where it is."""
        if warden.until == 0.0:
            return ""
        state = _state(warden.process.pid)
        if warden.process.poll() is not None:
            # What it told before it ended counts.
            _take(warden)
            return "" if warden.until == 0.0 else "The grading process was ended meanwhile"
        if state in ("T", "t"):
            return "The grading process was stopped meanwhile"
        if time.monotonic() > warden.until:
            allowed = format_seconds(self._limits.submission)
            return f"Grading took longer than the {allowed} of a submission"
        return ""

    def _finished(
        self, warden: _Warden, task: Task, trouble: str
    ) -> tuple[int, tuple[Item, ...], float]:
        seconds = time.monotonic() - warden.since
        index = warden.index
        assert index is not None  # only those with work come here
        if trouble:
            self._replace(warden)
        items = []
        for item in blanks(tuple(task.notebooks), self._catalogue, task.names):
            key = (item.lab, item.name)
            if key in warden.items:
                items.append(warden.items[key])
            elif key == warden.begun:
                text = f"{trouble}, while this exercise was graded."
                items.append(item.without_points("no answer", text))
            else:
                text = f"{trouble}, before this exercise was graded."
                items.append(item.without_points("no answer", text))
        warden.index = None
        return index, tuple(items), seconds

    def _replace(self, warden: _Warden) -> None:
        """End a lost warden and everything below it; another is started when there is work."""
        self._wardens.remove(warden)
        pid = warden.process.pid

        def family() -> list[Process]:
            everyone = processes()
            found = below(pid, everyone)
            return [everyone[pid], *found] if pid in everyone else found

        end_all(family, warden.process.poll)
        _close(warden)
        self._end_adopted()
        remove_folder(warden.folder)

    def _dismiss(self, warden: _Warden) -> None:
        """Wait for a warden to end; a moment, and then no longer."""
        try:
            warden.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            warden.process.kill()
            warden.process.wait()
        _close(warden)

    def _children(self) -> list[Process]:
        here = os.getpid()
        return [process for process in processes().values() if process.parent == here]

    def _end_adopted(self) -> None:
        """End what wardens left to this process."""
        mine = os.getsid(0)
        working = {warden.process.pid for warden in self._wardens if warden.process.poll() is None}

        def adopted() -> list[Process]:
            everyone = processes()
            here = os.getpid()
            roots = [
                process
                for process in everyone.values()
                if process.parent == here
                and process.session != mine
                and process.pid not in self._known | working
            ]
            return [*roots, *(child for root in roots for child in below(root.pid, everyone))]

        def reap() -> None:
            for process in adopted():
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)

        end_all(adopted, reap)


def _state(pid: int) -> str:
    """Return the state of one process, as in `Process`; empty where there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    return text[text.rindex(b")") + 2 :].split()[0].decode()


def _take(warden: _Warden) -> None:
    """Take in what the warden told."""
    while True:
        try:
            piece = os.read(warden.answers, 1 << 16)
        except (BlockingIOError, ValueError):
            break
        if not piece:
            break
        warden.buffer += piece
    *lines, rest = bytes(warden.buffer).split(b"\n")
    warden.buffer = bytearray(rest)
    for line in lines:
        _note(warden, json.loads(line))


def _note(warden: _Warden, message: dict[str, Any]) -> None:
    if "begin" in message:
        lab, name = message["begin"]
        warden.begun = (lab, name)
    elif "item" in message:
        item = Item(**message["item"])
        warden.items[item.lab, item.name] = item
    elif "done" in message:
        warden.until = 0.0


def _close(warden: _Warden) -> None:
    for stream in (warden.process.stdin, warden.process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
