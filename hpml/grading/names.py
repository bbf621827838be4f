"""Whose a submission is, by the name that the student or a learning platform gave it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_PLATFORM = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d{2,})_")
# Canvas: lovelaceada_LATE_4711_998_06_forward_order.ipynb, with the numbers of student and upload.
_CANVAS = re.compile(r"[^_]+_(?:LATE_)?\d{3,}_(?P<upload>\d{3,})_")
_MOODLE = re.compile(r"[^_]+_\d{2,}_assignsubmission_")
_ENDING = re.compile(r"(\.ipynb(\.txt|\.json)?|\.json|\.py)$", re.IGNORECASE)


class Owner(NamedTuple):
    """The student that a platform wrote into a name."""

    name: str
    id: str


def one_form(name: str) -> str:
    """Return a name as other systems may spell it: an ö is one character, or an o and two dots."""
    return unicodedata.normalize("NFC", name)


def student(name: str) -> str:
    """Return whose submission it is: its name without a notebook's ending."""
    return _ENDING.sub("", name)


def names_of(submission: str) -> tuple[str, str]:
    """Return the names that a submission is found by: its student's, and its own."""
    return one_form(student(submission)), one_form(submission)


def owner(name: str) -> Owner | None:
    """Return the student that a name may tell; a roster says whether it is one."""
    match = _PLATFORM.match(name)
    return Owner(one_form(match["name"]).casefold(), match["id"]) if match else None


def by_student(names: Sequence[str]) -> list[list[str]]:
    """Return names in groups of one student each, the earliest upload first.

    Canvas keeps a file for each upload, Moodle a folder for the files and one for the text.
    """
    canvas = {name: found for name in names if (found := _CANVAS.match(name))}
    if len({owner(name) for name in canvas}) < 2:  # "exam_2026_123_" in front of each: not Canvas
        canvas = {}
    groups: dict[object, list[str]] = {}
    for name in names:
        platform = name in canvas or _MOODLE.match(name)
        groups.setdefault(owner(name) if platform else name, []).append(name)
    for group in groups.values():
        group.sort(key=lambda name: int(canvas[name]["upload"]) if name in canvas else 0)
    return list(groups.values())
