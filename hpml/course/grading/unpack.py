"""Unpack zipped submissions: only what may be a notebook, and never outside of the given folder."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from stat import S_ISLNK

_MOST_FILES = 100
_MOST_BYTES = 400 * 2**20  # of all unpacked files together
_BLOCK = 2**20


def is_zip(path: Path) -> bool:
    """Return whether a path names a zip that may be opened: a file, not a link to one."""
    return path.suffix.lower() == ".zip" and path.is_file() and not path.is_symlink()


@contextlib.contextmanager
def place_for_zips() -> Iterator[Path]:
    """Yield the path of a folder for unpacked files, which is made when it is needed."""
    folder = Path(tempfile.gettempdir(), f"hpml-unpacked-{secrets.token_hex(8)}")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unpack(archive: Path, folder: Path, wanted: Callable[[str], bool]) -> bool:
    """Unpack the files of a zip whose names are `wanted`, within bounds.

    Links, absolute paths, paths with ``..``, encrypted files and what exceeds the bounds are left
    out. Nothing is made where there is nothing to unpack, or where the zip cannot be read.

    Args:
        archive: the zip.
        folder: where the files are written, with their folders.
        wanted: returns whether a file of this name is unpacked.

    Returns:
        Whether anything was unpacked.
    """
    left, count = _MOST_BYTES, 0
    try:
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                path = PurePosixPath(entry.filename.replace("\\", "/"))
                if not _may_unpack(entry, path, wanted) or count == _MOST_FILES:
                    continue
                target = folder.joinpath(*path.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                size = _copy(opened, entry, target, left)
                if size is None:
                    target.unlink(missing_ok=True)
                    continue
                left, count = left - size, count + 1
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        pass  # what was unpacked before counts
    return count > 0


def _may_unpack(entry: zipfile.ZipInfo, path: PurePosixPath, wanted: Callable[[str], bool]) -> bool:
    safe = path.parts and not path.is_absolute() and not {"..", ""}.intersection(path.parts)
    plain = not entry.is_dir() and not S_ISLNK(entry.external_attr >> 16)
    hidden = any(part.startswith((".", "__MACOSX")) or ":" in part for part in path.parts)
    open_to_all = not entry.flag_bits & 0x1
    return bool(safe and plain and open_to_all and wanted(path.name) and not hidden)


def _copy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int) -> int | None:
    """Write one file and return its size, or None if it is too large or damaged.

    The size in the archive's list may be false, so the bytes are counted.
    """
    size = 0
    try:
        with archive.open(entry) as source, open(target, "xb") as stream:
            while block := source.read(_BLOCK):
                size += len(block)
                if size > most:
                    return None
                stream.write(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, FileExistsError):
        return None
    return size
