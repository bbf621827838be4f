"""Write files atomically, and locate the cache."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

from hpml.base.system import locked, replace, retry


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write `content` to `path` atomically: a reader sees the old file or the new one.

    After a failure the old file is unchanged and no temporary file remains. Missing folders are
    created.

    Args:
        path: the file to write or replace.
        content: text, written as UTF-8 with its line ends unchanged, or bytes.

    Raises:
        OSError: as raised by `open` and `os.replace`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "new", "note.txt"), "measured\\n")
    ...     Path(folder, "new", "note.txt").read_text()
    'measured\\n'
    """
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with open(part, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, part)
        replace(part, target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        # A full disk is reported without a name, a read-only folder with that of the part.
        if isinstance(error, OSError) and error.filename in (None, str(part)):
            error.filename = str(target)
        raise


def append_line(path: str | os.PathLike[str], line: str) -> None:
    """Append one line to `path` and flush it to the disk.

    If the file ends in an incomplete line, the new one starts on a line of its own. Missing folders
    are created.

    Args:
        path: the file to extend, created if missing.
        line: text without line breaks; the line end is added.

    Raises:
        OSError: as raised by `open`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "cases.jsonl")
    ...     append_line(log, '{"layers": 250}')
    ...     append_line(log, '{"layers": 500}')
    ...     log.read_text().splitlines()
    ['{"layers": 250}', '{"layers": 500}']
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with retry(lambda: open(target, "a+b")) as stream, locked(stream):
        data = line.encode("utf-8") + b"\n"
        if stream.seek(0, os.SEEK_END) > 0:
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) != b"\n":
                data = b"\n" + data
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def cache_folder(name: str) -> Path:
    """Return a folder for files that can be made again, such as compiled libraries.

    It may not exist. It is in the folder that ``HPML_CACHE`` names if that environment variable is
    set, else in the user's cache folder.

    Args:
        name: what the folder holds, such as ``"extensions"``.

    >>> cache_folder("extensions").name
    'extensions'
    """
    import platformdirs

    chosen = os.environ.get("HPML_CACHE")
    folder = Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("hpml", False)
    return folder.resolve() / name


def can_write(folder: Path) -> bool:
    """Return whether a folder is writable or, if it is missing, can be created."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return existing.is_dir() and os.access(existing, os.W_OK)


def shown_path(path: Path) -> str:
    """Return `path` relative to the working directory, or unchanged if it is not below that."""
    shown = os.path.relpath(path)
    return str(path) if shown.startswith(os.pardir) else shown
