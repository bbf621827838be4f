"""One run at a time writes a file of results: a lock that says who holds it.

Two runs with one file would write each case twice, or move the other's file aside. The lock is the
system's, on a file beside the results, and ends with the process that holds it, however that ends.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

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
    real = path.resolve()  # two names of one file have one lock
    beside = real.with_name(f".{real.name}.lock")
    beside.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with open(beside, "a+b", buffering=0) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RecordError(
                    f"{path}: {_holder(lock)} is writing it. Wait until it is done, or give this "
                    "run another file with --out."
                ) from None
            except OSError:
                yield  # a file system that cannot lock
                return
            if not _is_still(lock, beside):
                continue  # its last holder removed it meanwhile
            holder = {"process": os.getpid(), "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"}
            try:
                with contextlib.suppress(OSError):  # a full disk: nobody learns who holds it
                    lock.truncate(0)
                    lock.write(json.dumps(holder).encode())
                yield
            finally:
                beside.unlink(missing_ok=True)
            return


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


def _holder(lock: BinaryIO) -> str:
    try:
        lock.seek(0)
        holder = json.loads(lock.read())
        return f"another run (process {holder['process']}, since {holder['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run"


def _is_still(lock: BinaryIO, path: Path) -> bool:
    try:
        return os.fstat(lock.fileno()).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False
