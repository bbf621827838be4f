"""A JSON file of a student's data by lab; a lock and atomic writes make it safe to share."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hpml.base.files import write_atomically
from hpml.base.system import locked, replace, retry
from hpml.course.files import results_folder

_VERSION = 1


def read_labs(path: Path) -> dict[str, dict[str, Any]]:
    """Return the contents of a file by lab; raise ValueError if it has another format."""
    everything = json.loads(retry(lambda: path.read_text(encoding="utf-8")))
    version = everything.get("version") if isinstance(everything, dict) else None
    if version != _VERSION:
        raise ValueError(f"expected version {_VERSION} of the file, received {version!r}")
    labs = everything.get("labs")
    if not isinstance(labs, dict) or not all(isinstance(lab, dict) for lab in labs.values()):
        raise ValueError("it contains no labs")
    return labs


class LabFile:
    """``{"version": 1, "labs": {lab: {key: ...}}}`` as JSON, in the results folder."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def path(self) -> Path:
        """The file, which need not exist yet."""
        # Looked up at each use: HPML_RESULTS may be set after the lab was opened.
        return results_folder() / self.name

    def labs(self) -> dict[str, dict[str, Any]]:
        """Return the contents by lab."""
        try:
            return read_labs(self.path)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            return self._put_aside(str(error))

    @contextmanager
    def changing(self) -> Iterator[dict[str, dict[str, Any]]]:
        """Yield the contents for changing in place, then write them."""
        lock_file = self.path.with_name(f".{self.path.name}.lock")
        with open(lock_file, "ab") as stream, locked(stream):
            labs = self.labs()
            yield labs
            everything = {"version": _VERSION, "labs": labs}
            text = json.dumps(everything, indent=1, ensure_ascii=False, allow_nan=False)
            write_atomically(self.path, text + "\n")

    def _put_aside(self, reason: str) -> dict[str, dict[str, Any]]:
        """Rename an unreadable file, so that the lab works and no data is lost."""
        aside = self.path.with_suffix(".unreadable.json")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_suffix(f".unreadable-{number}.json")
        replace(self.path, aside)
        warnings.warn(
            f"{self.path.name} cannot be read ({reason}). It was renamed to {aside.name} and a "
            "new file was begun. To restore its contents, repair it and rename it back.",
            stacklevel=4,
        )
        return {}
