"""Where the course lies on disk, and writes that are either whole or absent."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base.errors import HpmlError, describe

if TYPE_CHECKING:
    from collections.abc import Iterator


_PUBLISHED = "published_results.json"
_PACKAGE = Path(__file__).resolve().parents[1]
_CLONE = _PACKAGE.parent
PACKAGED = _PACKAGE / "_course"
"""The course inside an installed wheel: notebooks and data, not to be written to."""
COPY = "hpml-course"
"""The folder that ``hpml lab`` writes the course into outside of a clone."""


class CourseFileError(HpmlError):
    """A folder or file of the course is missing or is not what it should be."""


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part.

    The bytes go to a file beside `path`, are forced to the disk, and are renamed into place; after
    any failure the old file is untouched and nothing is left over. Missing folders are made.

    Args:
        path: the file to write or replace.
        content: text, written as UTF-8 with its line ends unchanged, or bytes.

    Raises:
        OSError: as `open` and `os.replace` raise it (no space, no permission, a folder in the way).

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "new", "note.txt"), "measured\\n")
    ...     Path(folder, "new", "note.txt").read_text()
    'measured\\n'
    """
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _naming(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
        try:
            with open(part, "xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if target.exists():
                shutil.copymode(target, part)
            os.replace(part, target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def append_line(path: str | os.PathLike[str], line: str) -> None:
    """Add one complete line to `path` and return when it has reached the disk.

    If an earlier run was cut off inside its last line, that line is closed first, so that the torn
    line stays one bad line and the new one is whole. Missing folders are made.

    Args:
        path: the file to extend, made if missing.
        line: text without line breaks; the line end is added.

    Raises:
        CourseFileError: if `line` holds a line break.
        OSError: as `open` raises it.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "cases.jsonl")
    ...     append_line(log, '{"layers": 250}')
    ...     append_line(log, '{"layers": 500}')
    ...     log.read_text().splitlines()
    ['{"layers": 250}', '{"layers": 500}']
    """
    if "\n" in line or "\r" in line:
        raise CourseFileError(
            f"append_line expects one line without line breaks, got {describe(line)}; "
            "append each line by itself."
        )
    target = Path(path)
    with _naming(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "a+b", buffering=0) as stream, _locked(stream.fileno()):
            data = line.encode("utf-8") + b"\n"
            if stream.seek(0, os.SEEK_END) > 0:
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":
                    data = b"\n" + data
            written = stream.write(data)
            if written != len(data):
                raise OSError(errno.ENOSPC, f"{written} of {len(data)} bytes written")
            os.fsync(stream.fileno())


def course_folder() -> Path:
    """Return the root of the course: the folder that holds ``notebooks/`` and ``data/``.

    The environment variable ``HPML_HOME`` decides if it is set. Otherwise it is the clone that this
    package was installed from; else the nearest such folder at or above the working directory, or
    the copy that ``hpml lab`` made there; else the one inside the installed package.

    Raises:
        CourseFileError: if there is none; the message lists where it was looked for.

    >>> (course_folder() / "data" / "published_results.json").is_file()
    True
    """
    home = os.environ.get("HPML_HOME")
    if home:
        folder = Path(home).expanduser().resolve()
        if _is_course(folder):
            return folder
        raise CourseFileError(
            f"HPML_HOME is {describe(home)}, expected a folder with notebooks/ and "
            f"data/{_PUBLISHED}; set it to the folder of your clone, or unset it."
        )
    here = Path.cwd()
    for folder in (_CLONE, here, here / COPY, *here.parents, PACKAGED):
        if _is_course(folder):
            return folder
    raise CourseFileError(
        f"No course folder found: expected notebooks/ and data/{_PUBLISHED} in {_CLONE}, in "
        f"{PACKAGED}, or at or above {here}. Install hpml again, or set HPML_HOME to a clone."
    )


def data_file(name: str) -> Path:
    """Return the path of a file in the course's ``data/`` folder.

    Args:
        name: path relative to ``data/``, for example ``"published_results.json"``.

    Raises:
        CourseFileError: if there is no such file or folder; the message lists what there is.

    >>> data_file("published_results.json").name
    'published_results.json'
    """
    folder = course_folder() / "data"
    path = folder / name
    if not path.exists():
        there = ", ".join(sorted(entry.name for entry in folder.iterdir()))
        raise CourseFileError(
            f"No data file {describe(name)}: expected one of {there}. "
            "If it should be there, `git checkout -- data` brings the course's data back."
        )
    return path


def results_folder() -> Path:
    """Return the folder for what the student measures, made if missing; it is not kept in git.

    The environment variable ``HPML_RESULTS`` decides if it is set; otherwise it is ``results/`` in
    the course folder, or in the working directory where the course is only in the installed
    package. Where that cannot be written, as on a shared server, it is ``hpml/`` in the folder
    where programs keep their user's data.

    Raises:
        CourseFileError: if the place is taken by a file, or there is no course folder.

    >>> results_folder().is_dir()
    True
    """
    chosen = os.environ.get("HPML_RESULTS")
    course = course_folder()
    home = Path.cwd() if course == PACKAGED else course
    folder = Path(chosen).expanduser().resolve() if chosen else home / "results"
    if not chosen and not _can_write(folder):
        folder = user_folder()
    if folder.exists() and not folder.is_dir():
        raise CourseFileError(
            f"The results folder {folder} is a file, expected a folder; move the file away "
            "or set HPML_RESULTS to another folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def published(block: str) -> dict[str, Any]:
    """Return one block of the published figures that students compare their own with.

    Args:
        block: the name of a block of ``data/published_results.json``, such as
            ``"deep_linear_cpu"``.

    Returns:
        The block as read from JSON: ``source``, ``hardware``, ``unit`` and the figures.

    Raises:
        CourseFileError: if there is no such block; the message lists those there are.

    >>> published("deep_linear_cpu")["unit"]
    'batches/s'
    """
    path = data_file(_PUBLISHED)
    blocks: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names = [name for name in blocks if not name.startswith("_")]
    if block not in names:
        raise CourseFileError(
            f"No published figures named {describe(block)}: expected one of {', '.join(names)}."
        )
    found: dict[str, Any] = blocks[block]
    return found


def recorded(name: str) -> dict[str, Any]:
    """Return what was recorded on another machine, from ``data/recorded``, as read from JSON.

    >>> recorded("noise_quiet")["truth"]
    1.1
    """
    text = data_file(f"recorded/{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def shown_path(path: Path) -> str:
    """Return the path as one would type it here."""
    shown = os.path.relpath(path)
    return str(path) if shown.startswith(os.pardir) else shown


def _can_write(folder: Path) -> bool:
    """Return whether files can be made in a folder, or the folder itself where it is missing."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return os.access(there, os.W_OK) or not there.is_dir()


def user_folder() -> Path:
    """Return where results lie if the course's folder cannot be written; it need not exist."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "hpml"


@contextlib.contextmanager
def _naming(target: Path) -> Iterator[None]:
    """Let an error of the disk name the file that was to be written."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(target)) from error


@contextlib.contextmanager
def _locked(handle: int) -> Iterator[None]:
    """Hold an open file for this writer alone, so that lines of several writers do not mix.

    Without it a writer may see another's line half grown at the end of the file, and take it for a
    torn one. Windows has no such lock; there a log has one writer at a time.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    # Some network file systems cannot lock; at worst an empty line appears there.
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)
    yield  # closing the file unlocks it


def _is_course(folder: Path) -> bool:
    # The file, not only the two folders: many projects have a notebooks/ and a data/.
    return (folder / "notebooks").is_dir() and (folder / "data" / _PUBLISHED).is_file()
