"""Reading the file that a student handed in: it may be a link, a pipe, a terabyte, or no text."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path

from hpml.base.tables import format_bytes
from hpml.course.cells import NotebookError, code_cells, python_cells
from hpml.grading.limits import Limits

_LARGE = 2**18
_OBJECTS = 200  # as many for each cell: its metadata, its outputs


class UnreadableNotebook(Exception):
    """The notebook cannot be read; the message is for the student."""

    status = "unreadable"


class MissingNotebook(UnreadableNotebook):
    """There is none."""

    status = "missing"


def read_cells(path: Path, limits: Limits) -> dict[int, str]:
    """Return the code cells of a notebook as Python source, by their number."""
    text = _text(path, limits.notebook)
    # Millions of empty cells or lists would fill this process's memory as soon as they are read.
    most = _OBJECTS * limits.cells
    if len(text) >= _LARGE and (sum(map(text.count, "{[")) > most or text.count(",") > 20 * most):
        raise UnreadableNotebook(
            f"The notebook {path.name} has too many parts to be read; clear its outputs."
        )
    try:
        return python_cells(text, limits.cells)
    except NotebookError as error:
        raise UnreadableNotebook(str(error)) from None


def _text(path: Path, most: int) -> str:
    try:
        return _bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = f"The notebook is not UTF-8 text: {error.reason}."
        raise UnreadableNotebook(f"{text} Save it in Jupyter, and hand in that file.") from None


def same_code(path: Path, other: Path, most: int) -> bool:
    """Return whether two notebooks have the same code cells; False where one cannot be read."""
    try:
        first, second = (code_cells(_text(each, most)) for each in (path, other))
    except (UnreadableNotebook, NotebookError):
        return False
    return [*first.values()] == [*second.values()]


def fingerprint(path: Path, most: int) -> str:
    """Return a text that changes whenever the file's content does, or the reason it has none."""
    try:
        return hashlib.sha256(_bytes(path, most)).hexdigest()
    except UnreadableNotebook as error:
        return str(error)


def _bytes(path: Path, most: int) -> bytes:
    # A link would read a file of the grader's; a pipe would wait for ever.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise MissingNotebook(f"The notebook {path.name} is missing.") from None
    except OSError as error:
        link = error.errno == errno.ELOOP
        reason = "is a link; hand in the file" if link else f"cannot be read: {error.strerror}"
        raise UnreadableNotebook(f"The notebook {path.name} {reason}.") from None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise UnreadableNotebook(f"The notebook {path.name} is no file.")
    with os.fdopen(descriptor, "rb") as stream:
        if about.st_size > most:
            raise UnreadableNotebook(
                f"The notebook {path.name} has {format_bytes(about.st_size)}, at most "
                f"{format_bytes(most)} are read; clear its outputs."
            )
        try:
            data = stream.read(most + 1)
        except OSError as error:
            raise UnreadableNotebook(f"{path.name} cannot be read: {error.strerror}.") from None
    if not data.strip():
        raise UnreadableNotebook(f"The notebook {path.name} is empty.")
    return data[:most]
