"""Step 1: find the submitted notebooks, and tell from their names whose they are.

Nothing is written beside a submission. Other files in its folder are listed but not opened.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from hpml.base.errors import describe
from hpml.base.files import CourseFileError
from hpml.base.tables import format_bytes
from hpml.course.execute import LabNotFoundError, find_lab
from hpml.course.exercises.exercise import Choice, Exercise
from hpml.grading import BadRequest
from hpml.labs import catalogue as course

_NUMBER = re.compile(r"(\d\d)[ _-]")
_KEPT = ("predictions.json", "progress.json")  # read by `hpml progress --class`
_ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".json")  # browsers append some
_OF_A_LAB = re.compile(r"(?<!\d)\d\d(?!\d)")
_SCRIPT = ".py"  # Jupytext's form of a notebook
_SHOWN = 4
_MOST = 10  # graded notebooks per upload and lab
_MOST_BYTES = 200 * 2**20  # size of a notebook with its outputs
_PLATFORM = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d{2,})_")
# Canvas: lovelaceada_LATE_4711_998_06_forward_order.ipynb: student ID, then upload ID.
_CANVAS = re.compile(r"[^_]+_(?:LATE_)?\d{3,}_(?P<upload>\d{3,})_")
_MOODLE = re.compile(r"[^_]+_\d{2,}_assignsubmission_")
_ENDING = re.compile(r"(\.ipynb(\.txt|\.json)?|\.(json|py|zip|pdf|html|docx))$", re.IGNORECASE)


class Catalogue(Protocol):
    """The labs and their exercises; the course's own is `hpml.labs.catalogue`."""

    LABS: tuple[str, ...]

    def exercises(self, lab: str, /) -> tuple[Exercise, ...]:
        """Return the exercises of a lab."""

    def choice(self, lab: str, /) -> Choice:
        """Return the explanation that ends a lab."""


COURSE: Catalogue = course


def entries(catalogue: Catalogue, lab: str) -> list[Exercise | Choice]:
    """Return the exercises of a lab and its explanation."""
    return [*catalogue.exercises(lab), catalogue.choice(lab)]


class UnreadableNotebook(Exception):
    """The notebook is unreadable; the message is for the student."""

    def __init__(self, text: str, status: str = "unreadable") -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Submission:
    """One student's submission: for each lab its notebooks, or the path of the missing one."""

    name: str  # of its folder or notebook; of the earliest upload
    notebooks: Mapping[str, tuple[Path, ...]]  # by lab, earliest upload first
    uploads: tuple[Path, ...] = ()  # its folders and notebooks
    fingerprints: tuple[str, ...] = ()  # hashes of the notebooks

    @property
    def labs(self) -> tuple[str, ...]:
        """The labs to grade."""
        return tuple(self.notebooks)

    @property
    def names(self) -> set[str]:
        """All names of the student and of the uploads."""
        return {name for each in self.uploads for name in names_of(each.name)}

    def upload_of(self, notebook: Path) -> int:
        """Return the index of the upload that contains a notebook; the earliest is 0."""
        found = (n for n, each in enumerate(self.uploads) if notebook.is_relative_to(each))
        return next(found, 0)


def find(
    path: Path, *, labs: Sequence[str] | None = None, catalogue: Catalogue = COURSE
) -> Submission:
    """Return the submission at `path`: a notebook, or a folder of notebooks named like labs."""
    if not path.is_symlink() and not path.exists():
        text = "expected a notebook or a folder of notebooks."
        raise BadRequest(f"{describe(str(path))} does not exist; {text}")
    there = _notebooks(path, labs, catalogue)
    wanted = labs or sorted(there)
    if not wanted:
        text = f"a name such as {_file_name(catalogue.LABS[0])}, or the lab's number with --lab"
        raise BadRequest(f"{describe(str(path))} does not say which lab it is: expected {text}.")
    name = path.resolve().name if path.is_dir() else path.stem
    return _submission(name, {path: there}, wanted)


def find_class(
    folder: Path, *, labs: Sequence[str] | None = None, catalogue: Catalogue = COURSE
) -> tuple[list[Submission], list[str]]:
    """Return the submissions in a folder, and the names of all other entries.

    A submission is a folder or a notebook, or several that a platform named for one student. A
    file of another kind is one, without a notebook, only under a name that Canvas gave it.
    """
    if not folder.is_dir():
        raise BadRequest(f"{describe(str(folder))}: expected the folder of a class.")
    there: dict[Path, dict[str, tuple[Path, ...]]] = {}
    left_out = []
    for entry in _entries(folder):
        lab = lab_of(entry.name, catalogue)
        counts = is_notebook(entry) if lab is None else labs is None or lab in labs
        if entry.is_dir() or entry.is_symlink() or counts:
            there[entry] = _notebooks(entry, labs, catalogue)
        elif lab is None and _CANVAS.match(entry.name):
            there[entry] = {}
        else:
            left_out.append(entry.name)
    wanted = labs or sorted({lab for notebooks in there.values() for lab in notebooks})
    if not wanted:
        text = "expected notebooks with the names of labs, found none; name the lab with --lab."
        raise BadRequest(f"{describe(str(folder))}: {text}")
    if not there:
        text = "expected a folder or a notebook for each submission, found none."
        raise BadRequest(f"{describe(str(folder))}: {text}")
    found = []
    for group in by_student([entry.name for entry in there]):
        uploads = {folder / name: there[folder / name] for name in group}
        found.append(_submission(group[0], uploads, wanted))
    return found, left_out


def _submission(
    name: str, there: Mapping[Path, Mapping[str, tuple[Path, ...]]], labs: Sequence[str]
) -> Submission:
    first = next(iter(there))
    notebooks = {}
    for lab in labs:
        found = tuple(path for each in there.values() for path in each.get(lab, ()))
        # Reading a link refuses it; the link is not followed.
        missing = first if first.is_symlink() else first / _file_name(lab)
        notebooks[lab] = found or (missing,)
    prints = [_fingerprint(path) for paths in notebooks.values() for path in paths]
    return Submission(name, notebooks, tuple(there), tuple(prints))


def _fingerprint(path: Path) -> str:
    """Return a hash of the file's content, or the reason why it cannot be read."""
    try:
        return hashlib.sha256(read_bytes(path)).hexdigest()
    except UnreadableNotebook as error:
        return str(error)


def lab_number(lab: str) -> str:
    """Return the two-digit number of a lab."""
    number = lab.zfill(2)
    if number not in COURSE.LABS:
        known = ", ".join(COURSE.LABS)
        raise BadRequest(f"Lab {describe(lab)} has no exercises; expected one of {known}.")
    return number


def is_notebook(path: Path) -> bool:
    """Return whether a file is named like a notebook; a JSON file needs a lab's number."""
    name = path.name.lower()
    if not name.endswith(_ENDINGS) or name.endswith(_KEPT):
        return False
    return ".ipynb" in name or _OF_A_LAB.search(name) is not None


def lab_of(name: str, catalogue: Catalogue = COURSE) -> str | None:
    """Return the lab that a file name contains or whose number it starts with.

    Platforms prepend names and numbers: ``lovelaceada_4711_998_06_forward_order-1.ipynb``.
    """
    if not name.lower().endswith((*_ENDINGS, _SCRIPT)):
        return None
    for lab in catalogue.LABS:
        if Path(_file_name(lab)).stem.lower() in name.lower():
            return lab
    match = _NUMBER.match(name)
    return match[1] if match and match[1] in catalogue.LABS and is_notebook(Path(name)) else None


def _notebooks(
    path: Path, labs: Sequence[str] | None, catalogue: Catalogue
) -> dict[str, tuple[Path, ...]]:
    """Return the notebooks of each lab at a path, or in its only subfolder."""
    if path.is_symlink() or not path.is_dir():
        own = labs[0] if labs and len(labs) == 1 else lab_of(path.name, catalogue)
        return {own: (path,)} if own is not None and own in (labs or catalogue.LABS) else {}
    entries = _entries(path)
    while not any(is_notebook(each) or lab_of(each.name, catalogue) for each in entries):
        # An unpacked archive often has one folder around everything.
        folders = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
        if len(folders) != 1:
            break
        entries = _entries(folders[0])
    found: dict[str, tuple[Path, ...]] = {}
    for lab in labs or catalogue.LABS:
        named = [each for each in entries if lab_of(each.name, catalogue) == lab]
        # The lab's exact file name first; scripts count only where there is no notebook.
        named.sort(key=lambda each: each.name.lower() != _file_name(lab).lower())
        named = [each for each in named if is_notebook(each)] or named
        if named:
            found[lab] = tuple(named[:_MOST])
    notebooks = [each for each in entries if is_notebook(each)] or [
        each
        for each in entries
        if each.name.lower().endswith((*_ENDINGS, _SCRIPT)) and each.name.lower() not in _KEPT
    ]
    if labs and len(labs) == 1 and not found and len(notebooks) == 1:
        only = notebooks[0].name  # a date may start the name
        if lab_of(only, catalogue) is None and not re.match(r"\d\d_", only):
            found[labs[0]] = (notebooks[0],)
    return found


def _entries(folder: Path) -> list[Path]:
    """Return the entries of a folder without hidden files and those of the system."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # reading its notebook reports the reason
        return []
    return [entry for entry in entries if not entry.name.startswith((".", "__MACOSX"))]


def _file_name(lab: str) -> str:
    """Return the file name of the lab's notebook."""
    try:
        return find_lab(lab).name
    except (CourseFileError, LabNotFoundError):
        return f"{lab}_lab.ipynb"


def read_bytes(path: Path) -> bytes:
    """Return the content of a submitted file."""
    # A link could point to the grader's files, and opening a pipe could block.
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOFOLLOW", "O_BINARY"):  # Windows has only the last
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        text = f"The notebook {path.name} is missing.{_beside(path)}"
        raise UnreadableNotebook(text, "missing") from None
    except OSError as error:
        link = error.errno == errno.ELOOP
        reason = "is a link; submit the file" if link else f"cannot be read: {error.strerror}"
        raise UnreadableNotebook(f"The notebook {path.name} {reason}.") from None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise UnreadableNotebook(f"The notebook {path.name} is not a file.")
    with os.fdopen(descriptor, "rb") as stream:
        if about.st_size > _MOST_BYTES:
            raise UnreadableNotebook(
                f"The notebook {path.name} has {format_bytes(about.st_size)}, at most "
                f"{format_bytes(_MOST_BYTES)} are read; clear its outputs."
            )
        try:
            data = stream.read(_MOST_BYTES + 1)
        except OSError as error:
            raise UnreadableNotebook(f"{path.name} cannot be read: {error.strerror}.") from None
    if not data.strip():
        raise UnreadableNotebook(f"The notebook {path.name} is empty.")
    return data[:_MOST_BYTES]


def _beside(path: Path) -> str:
    """List the other files beside a missing notebook."""
    folder = path.parent
    names = [entry.name for entry in _entries(folder)] if folder.is_dir() else [folder.name]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f" There is also: {', '.join(names[:_SHOWN])}{more}." if names else ""


class Owner(NamedTuple):
    """The student named in a platform's file name."""

    name: str
    id: str


def one_form(name: str) -> str:
    """Return a name in Unicode normal form: ö as one character instead of two."""
    return unicodedata.normalize("NFC", name)


def student(name: str) -> str:
    """Return the name of a submission without a notebook's file extension."""
    return _ENDING.sub("", name)


def names_of(submission: str) -> tuple[str, str]:
    """Return the names of a submission: without and with a file extension."""
    return one_form(student(submission)), one_form(submission)


def owner(name: str) -> Owner | None:
    """Return the student that a name may contain; only a roster can confirm it."""
    match = _PLATFORM.match(name)
    return Owner(one_form(match["name"]).casefold(), match["id"]) if match else None


def by_student(names: Sequence[str]) -> list[list[str]]:
    """Group names by student, earliest upload first.

    Canvas keeps a file for each upload, Moodle one folder for the files and one for the text.
    """
    canvas = {name: found for name in names if (found := _CANVAS.match(name))}
    if len({owner(name) for name in canvas}) < 2:  # a common prefix: "exam_2026_123_"
        canvas = {}
    groups: dict[object, list[str]] = {}
    for name in names:
        platform = name in canvas or _MOODLE.match(name)
        groups.setdefault(owner(name) if platform else name, []).append(name)
    for group in groups.values():
        group.sort(key=lambda name: int(canvas[name]["upload"]) if name in canvas else 0)
    return list(groups.values())
