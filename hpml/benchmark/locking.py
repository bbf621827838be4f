"""One run at a time writes a file of results."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hpml.base.errors import describe
from hpml.benchmark.errors import RecordError


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold `path` for this process alone, for the time of the block."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    # One for the two names of a file, in a folder that is emptied now and then.
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
    with open(Path(tempfile.gettempdir(), f"hpml-{os.getuid()}-{name}.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordError(
                f"{path}: another run is writing it. Wait until it is done, or give this run "
                "another file with --out."
            ) from None
        yield


def check_place(path: Path, begins: str) -> None:
    """Refuse a place for results that holds something else, before anything is measured."""
    found = None
    if path.is_dir():
        found = "a folder"
    elif path.exists() and not path.is_file():
        found = "a device"
    elif path.exists():
        with open(path, "rb") as file:
            head = file.read(len(begins) + 3).removeprefix(codecs.BOM_UTF8)[: len(begins)]
        if not begins.encode().startswith(head):
            found = f"a file that begins with {describe(head)}"
    if found is not None:
        raise RecordError(
            f"{path}: expected a file of this benchmark's results or none, got {found}. It is left "
            "as it is; give the results another file with --out."
        )
