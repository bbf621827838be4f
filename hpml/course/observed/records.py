"""Step 1: find the files that students handed in, and read one record for each student."""

from __future__ import annotations

import json
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.course.grading.find import by_student
from hpml.course.grading.unpack import is_zip, place_for_zips, unpack
from hpml.course.lesson import progress
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.lab_file import read_labs
from hpml.course.lesson.predictions import store
from hpml.course.lesson.predictions.calibration import kept_entry
from hpml.course.lesson.predictions.state import Entry
from hpml.course.observed import NoRecords

_PROGRESS, _PREDICTIONS = progress.FILE.name, store.FILE.name
_STEMS = "|".join(name.removesuffix(".json") for name in (_PROGRESS, _PREDICTIONS))
# Platforms put a name before the file's, browsers a number behind it.
_FILE = re.compile(rf"(?P<before>.*?)(?P<kind>{_STEMS})(?:-\d+| ?\(\d+\))?\.json", re.IGNORECASE)
_MOST_BYTES = 20 * 2**20

Labs = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Record:
    """What one student did, by lab."""

    progress: Labs = field(default_factory=dict)
    predictions: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Records:
    """The records of a class, and a line for each thing that was left out or merged."""

    students: tuple[Record, ...]
    notes: tuple[str, ...]


def read_class(folder: Path) -> Records:
    """Return a record for each student whose files are in a folder, in its folders or in zips.

    Raises:
        NoRecords: if `folder` is none, or has no readable file of any student.
    """
    if not folder.is_dir():
        raise NoRecords(
            object="--class",
            expected="a folder",
            received=describe(str(folder), limit=300),
            remedy="Name the folder that contains what the students handed in.",
        )
    notes: list[str] = []
    students: dict[str, Record] = {}
    without = 0
    with place_for_zips() as place:
        uploads = {entry.name: entry for entry in sorted(folder.iterdir()) if _shown(entry)}
        for names in _groups([*uploads]):
            found = []
            for name in names:
                for paths in _bundles(uploads[name], place, notes):
                    found += [each for each in [_read(name, paths, notes)] if each != Record()]
            if found:
                students[names[0]] = _one(names[0], found, notes)
            elif not any(note.startswith(f"{name}: ") for name in names for note in notes):
                without += any(uploads[name].is_dir() or is_zip(uploads[name]) for name in names)
    if without and students:
        notes.append(f"{without} other uploads have neither {_PROGRESS} nor {_PREDICTIONS}.")
    once = _without_copies(students, notes)
    if not once:
        raise NoRecords(
            object=describe(str(folder), limit=300),
            expected=f"files {_PROGRESS} or {_PREDICTIONS} of students, in folders or zips",
            received="; ".join(notes[:3]) or "none",
            remedy="Ask students for these two files, which are in their folder results.",
        )
    return Records(tuple(once), tuple(notes))


def moment(text: object) -> float | None:
    """Return a kept time in seconds, or None if it is no time."""
    try:
        return datetime.fromisoformat(text).timestamp() if isinstance(text, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _shown(entry: Path) -> bool:
    return not entry.name.startswith((".", "__MACOSX")) and not entry.is_symlink()


def _groups(names: Sequence[str]) -> list[list[str]]:
    """Group the uploads of each student: of a platform, or two files with one beginning."""
    groups: dict[str, list[str]] = {}
    for group in by_student(names):
        match = _FILE.fullmatch(group[0])
        begins = match["before"] if match and match["before"].strip("_- ") else group[0]
        groups.setdefault(begins, []).extend(group)
    return list(groups.values())


def _bundles(entry: Path, place: Path, notes: list[str]) -> Iterator[dict[str, Path]]:
    """Yield the files that an upload has in each of its folders, by kind."""
    if is_zip(entry):
        place.mkdir(mode=0o700, exist_ok=True)
        into = Path(tempfile.mkdtemp(dir=place))
        if not zipfile.is_zipfile(entry):
            notes.append(f"{entry.name}: it is no zip that can be opened.")
        unpack(entry, into, lambda name: bool(_FILE.fullmatch(name)))
        entry = into
    if entry.is_file():
        yield from _by_kind([entry])
    # Links are not followed: they could lead anywhere.
    for folder, folders, files in os.walk(entry):
        folders[:] = sorted(name for name in folders if _shown(Path(folder, name)))
        paths = [Path(folder, name) for name in sorted(files)]
        yield from _by_kind([path for path in paths if _shown(path)])
        for path in paths:
            if path != entry and is_zip(path):
                yield from _bundles(path, place, notes)


def _by_kind(paths: Sequence[Path]) -> Iterator[dict[str, Path]]:
    bundles: dict[str, dict[str, Path]] = {}
    for path in paths:
        if match := _FILE.fullmatch(path.name):
            bundles.setdefault(match["before"], {})[match["kind"].lower()] = path
    yield from bundles.values()


def _read(name: str, paths: Mapping[str, Path], notes: list[str]) -> Record:
    """Read the files of one bundle; a damaged one is left out with a note."""
    found: dict[str, Any] = {}
    for kind, path in paths.items():
        try:
            if not path.is_file() or path.stat().st_size > _MOST_BYTES:
                raise ValueError("it is no file of a usual size")
            labs = read_labs(path)
            found[kind] = _entries(labs) if kind in _PREDICTIONS else labs
        except (OSError, ValueError, TypeError, RecursionError, LabError) as error:
            why = " ".join(str(error).split())[:200]
            notes.append(f"{name}: {path.name} cannot be read ({why}).")
    return Record(**found)


def _entries(labs: Labs) -> dict[str, tuple[Entry, ...]]:
    return {
        lab: tuple(kept_entry(key, kept) for key, kept in answers.items())
        for lab, answers in labs.items()
    }


def _one(name: str, found: list[Record], notes: list[str]) -> Record:
    """Return the only record of a student, or the one with the latest step."""
    with_progress = [each for each in found if each.progress]
    with_predictions = [each for each in found if each.predictions]
    if len(with_progress) <= 1 and len(with_predictions) <= 1:
        progress, predictions = (
            [*found_in, Record()][0] for found_in in (with_progress, with_predictions)
        )
        return Record(progress.progress, predictions.predictions)
    notes.append(f"{name}: {len(found)} records of one student; that with the latest step counts.")
    return max(found, key=lambda record: max(_moments(record.progress), default=0.0))


def _moments(value: object) -> Iterator[float]:
    """Yield every time in a record."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _moments(each)
    elif (at := moment(value)) is not None:
        yield at


def _without_copies(students: Mapping[str, Record], notes: list[str]) -> list[Record]:
    """Return each record once: one that was handed in under two names counts once."""
    seen: dict[str, str] = {}
    once = []
    for name, record in students.items():
        content = json.dumps(
            [record.progress, repr(record.predictions)], sort_keys=True, default=str
        )
        if content in seen:
            notes.append(f"{name}: the same record as that of {seen[content]}; it counts once.")
        else:
            seen[content] = name
            once.append(record)
    return once
