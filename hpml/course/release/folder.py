"""Write a folder atomically, replacing only unchanged files of an earlier run.

The folder contains a list of its files and their hashes. A file that is not listed or has changed
is someone's work: the folder is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from hpml.base.errors import HpmlError
from hpml.base.files import write_atomically

_LIST = ".hpml-files.json"
# Created by using the copy; not tracked by git.
_KEPT = re.compile(r"\.git|\.venv.*|results")
_CACHES = {"__pycache__", ".pytest_cache", ".ipynb_checkpoints"}
_OLDEST = (1980, 1, 1, 0, 0, 0)  # the earliest time of a zip


class ReleaseError(HpmlError):
    """The students' copy or the book cannot be made; the message says what to fix."""


def write_folder(out: Path, files: Mapping[str, bytes], kind: str) -> None:
    """Write the files into the folder `out`, which is new, empty, or of the same kind."""
    out = out.resolve()
    _refuse(out, kind)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as work:
        new, old = Path(work, "new"), Path(work, "old")
        for name, content in {**files, _LIST: _list(files, kind)}.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o644)
        new.chmod(0o755)
        with contextlib.suppress(FileNotFoundError):
            out.rename(old)
        kept = [each.name for each in old.glob("*") if _KEPT.fullmatch(each.name)]
        try:
            for name in kept:
                (old / name).rename(new / name)
            new.rename(out)
        except BaseException:
            for name in kept:
                if (new / name).exists():
                    (new / name).rename(old / name)
            if old.exists():
                old.rename(out)
            raise


def write_zip(path: Path, files: Mapping[str, bytes], inside: str) -> None:
    """Write the files as a reproducible zip with one folder."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{inside}/{name}", _OLDEST)
            entry.create_system = 3  # Unix modes, also on Windows
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    write_atomically(path, stream.getvalue())


def _list(files: Mapping[str, bytes], kind: str) -> bytes:
    hashes = {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}
    return (json.dumps({"kind": kind, "files": hashes}, indent=1) + "\n").encode()


def _refuse(out: Path, kind: str) -> None:
    """Raise if `out` contains files that no earlier run wrote."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ReleaseError(
            object=str(out),
            expected="a folder",
            received="a file",
            remedy="Name a folder; it is created if it does not exist.",
        )
    there: dict[str, Path] = {}
    for folder, folders, names in os.walk(out):
        top = Path(folder) == out
        folders[:] = [
            each for each in folders if each not in _CACHES and not (top and _KEPT.fullmatch(each))
        ]
        for name in [*names, *(each for each in folders if Path(folder, each).is_symlink())]:
            path = Path(folder, name)
            there[path.relative_to(out).as_posix()] = path
    there.pop(".git", None)  # a file in a worktree
    listed = there.pop(_LIST, None)
    known: dict[str, object] = {}
    if listed is not None:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            read = json.loads(listed.read_text(encoding="utf-8"))
            known = dict(read["files"]) if read["kind"] == kind else {}
    foreign = sorted(
        name
        for name, path in there.items()
        if known.get(name) != hashlib.sha256(path.read_bytes()).hexdigest()
    )
    if foreign:
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        raise ReleaseError(
            object=str(out),
            expected=f"no files but those of an earlier {kind}",
            received=f"{', '.join(foreign[:3])}{more}",
            remedy="Name an empty folder, or move these files.",
        )
