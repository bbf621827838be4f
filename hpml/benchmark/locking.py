"""One run at a time writes a file of results: a lock that says who holds it.

Two runs with one file would write each case twice, or move the other's file aside. The lock is the
system's, on a file beside the results, and ends with the process that holds it, however that ends.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from hpml.benchmark.errors import RecordError


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold `path` for this process alone, for the time of the block.

    Windows and some network file systems have no such lock; there the block runs without.

    Raises:
        RecordError: if another run holds it; the message says which.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    beside = path.with_name(f".{path.name}.lock")
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
            lock.truncate(0)
            lock.write(json.dumps(holder).encode())
            try:
                yield
            finally:
                beside.unlink(missing_ok=True)
            return


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
