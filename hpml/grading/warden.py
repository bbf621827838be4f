"""The warden: the process between the grader and the submissions, one at a time below it.

It adopts every process that a submission leaves behind, and reaps it; a process can do that for
one family only, so it is one of its own and not a thread of the grader. It knows the answers, and
talks with its parent over two private pipes. If a submission manages to end or stop it (it is the
same user), the parent notices, ends all that is left, and starts another: see ``crew``.

A job is one line of JSON: the notebooks of one submission by lab, and which exercises. The answers
are lines too: ``begin`` before an exercise, ``item`` after it, ``done`` at the end.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hpml.course.exercises.exercise import Choice, Exercise
from hpml.grading.errors import GradingInterrupted
from hpml.grading.isolation import (
    Limits,
    adopting_orphans,
    die_with_parent,
    end_all,
    hidden,
    reap_all,
    remove_folder,
)
from hpml.grading.notebook_file import UnreadableNotebook, read_notebook
from hpml.grading.report import Item
from hpml.grading.trial import Trial, below_this, blank, blank_choice

__all__ = ["blanks", "job", "main"]

_HIGH = 300


def job(
    notebooks: Mapping[str, Path],
    *,
    folder: Path,
    seed: int,
    limits: Limits,
    catalogue: str,
    names: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """Return the order to grade one submission.

    Args:
        notebooks: the notebook of each lab; those of a lab that is missing too.
        folder: where its workers may work; removed by whoever made it.
        seed: what the cases are made with.
        limits: what the submission may use.
        catalogue: the module that knows the exercises.
        names: only these exercises; all if None.
    """
    return {
        "notebooks": {lab: str(path) for lab, path in notebooks.items()},
        "folder": str(folder),
        "seed": seed,
        "limits": asdict(limits),
        "catalogue": catalogue,
        "names": names,
    }


def blanks(labs: tuple[str, ...], catalogue: str, names: tuple[str, ...] | None) -> list[Item]:
    """Return the items of a report before anything was graded, in order."""
    return [
        blank(entry) if isinstance(entry, Exercise) else blank_choice(entry)
        for lab in labs
        for entry in _entries(lab, catalogue, names)
    ]


def _entries(
    lab: str, catalogue: str, names: tuple[str, ...] | None
) -> Iterator[Exercise | Choice]:
    known = importlib.import_module(catalogue)
    for entry in (*known.exercises(lab), known.choice(lab)):
        if names is None or entry.name in names:
            yield entry


def grade_all(order: Mapping[str, Any], stop: int | None, tell: Callable[..., None]) -> None:
    """Grade one submission, telling each item as soon as it is known."""
    limits = Limits(**order["limits"])
    names = None if order["names"] is None else tuple(order["names"])
    deadline = time.monotonic() + limits.submission
    for lab, path in order["notebooks"].items():
        unreadable = ""
        notebook = ""
        try:
            notebook = read_notebook(Path(path), limits.notebook)
        except UnreadableNotebook as error:
            unreadable = str(error)
        folder = Path(order["folder"])
        trial = Trial(notebook, order["seed"], folder, limits, deadline, stop)
        for entry in _entries(lab, order["catalogue"], names):
            item = blank(entry) if isinstance(entry, Exercise) else blank_choice(entry)
            tell(begin=[lab, entry.name])
            if unreadable:
                item = item.without_points("unreadable", unreadable)
            else:
                item = trial.grade(entry) if isinstance(entry, Exercise) else trial.choose(entry)
            tell(item=item.as_plain())
    tell(done=True)


def main() -> None:
    """Serve jobs until the parent closes its end."""
    signal.signal(signal.SIGTERM, _told_to_stop)
    die_with_parent(int(sys.argv[1]), signal.SIGTERM)
    # Out of the way of 0, 1 and 2, which a library may read from or print to.
    jobs = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    answers = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    with (
        contextlib.suppress(GradingInterrupted, BrokenPipeError),
        os.fdopen(answers, "w", encoding="utf-8") as stream,
        adopting_orphans(),
        hidden(),
    ):

        def tell(**message: object) -> None:
            stream.write(json.dumps(message) + "\n")
            stream.flush()

        try:
            while (line := _line(jobs)) is not None:
                grade_all(json.loads(line), jobs, tell)
        finally:
            # Also when told to stop: nothing of a submission stays.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            end_all(below_this, reap_all)
            _tidy(Path(sys.argv[2]))


def _tidy(folder: Path) -> None:
    """Remove this warden's folder, and what is left of its parent's where the parent is gone."""
    remove_folder(folder)
    if os.getppid() != int(sys.argv[1]):
        with contextlib.suppress(OSError):
            folder.parent.rmdir()  # while others still have theirs in it, it stays


def _line(descriptor: int) -> bytes | None:
    """Return the next line; None at the end. Unbuffered, so that `select` sees what is to come."""
    line = bytearray()
    while not line.endswith(b"\n"):
        piece = os.read(descriptor, 1)
        if not piece:
            return None
        line += piece
    return bytes(line)


def _told_to_stop(number: int, frame: object) -> None:
    raise GradingInterrupted("The warden was told to stop.")


if __name__ == "__main__":
    main()
