"""Folders that a worker's Python does not open any more: where answers are written down.

The worker runs beside the grader's own files, as the same user, so the file system keeps nothing
from it. This does, for whoever stays in Python: reading the oracle, importing it from disk, running
it by its path. Another program that a submission starts reads what it likes; see the README.

Source: ``sys.addaudithook`` and the table of audit events in Python's documentation. A hook cannot
be removed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Guard", "answers", "close"]

_EVENTS = ("open", "os.link", "os.listdir", "os.rename", "os.scandir")


def answers() -> tuple[Path, ...]:
    """Return the folders that know what is right: exercises, judges, the tests' solutions."""
    package = Path(__file__).resolve().parents[1]
    rooms = [package / name for name in ("course", "grading", "labs")]
    return *rooms, package.parent / "tests" / "solutions"


def close(folders: Sequence[Path]) -> None:
    """Refuse to open anything in `folders` from now on, until this process ends."""
    sys.addaudithook(Guard(folders))


class Guard:
    """The hook: raises PermissionError when something below `folders` is to be opened.

    Args:
        folders: with all that is in them, also by way of a link.

    >>> hook = Guard([Path("/usr/lib")])
    >>> hook("open", ("/usr/bin/env", "r", 0))
    >>> hook("open", ("/usr/bin/../lib/os-release", "r", 0))
    Traceback (most recent call last):
        ...
    PermissionError: /usr/bin/../lib/os-release is not available while a submission is graded.
    """

    __slots__ = ("_decoded", "_folders", "_real")

    def __init__(self, folders: Sequence[Path]) -> None:
        self._real = os.path.realpath
        self._decoded = os.fsdecode
        self._folders = tuple(self._real(folder) for folder in folders)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event not in _EVENTS or not arguments:
            return
        path = arguments[0]
        if not isinstance(path, str | bytes | os.PathLike):
            return  # a descriptor: opened before
        name = self._decoded(path)
        real = self._real(name)
        for folder in self._folders:
            if real == folder or real.startswith(folder + os.sep):
                raise PermissionError(f"{name} is not available while a submission is graded.")
