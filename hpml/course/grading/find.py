"""Step 1: find the submitted notebooks, and tell from their names whose they are.

Nothing is written beside a submission. Other files in its folder are listed but not opened.
"""

from __future__ import annotations

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
from hpml.base.tables import format_bytes
from hpml.course.files import CourseFileError
from hpml.course.grading import BadRequest
from hpml.course.grading.unpack import is_zip, unpack
from hpml.course.labs import catalogue as course
from hpml.course.lesson.execute import LabNotFoundError, find_lab
from hpml.course.lesson.exercises.exercise import Choice, Exercise

_NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)  # browsers append some
_OTHER = re.compile(r"\.(json|py)$", re.IGNORECASE)  # such as Jupytext's form of a notebook
_KEPT = ("predictions.json", "progress.json")  # read by `hpml progress --class`
_ENDING = re.compile(r"\.(ipynb(\.txt|\.json)?|json|py|zip|pdf|html|docx)$", re.IGNORECASE)
_NUMBER = re.compile(r"(\d\d)[ _-]")
_HASH = re.compile(r"[0-9a-f]{64}")
_MOST = 10  # graded notebooks per upload and lab
_MOST_BYTES = 200 * 2**20  # size of a notebook with its outputs
# lovelaceada_LATE_4711_998_06_forward_order.ipynb in Canvas, student ID and upload ID;
# Ada Lovelace_12345_assignsubmission_file in Moodle.
_PLATFORM = re.compile(
    r"(?P<name>.+?)_(?P<late>LATE_)?(?P<id>\d{2,})_"
    r"(?:(?<=\d{3}_)(?P<upload>\d{3,})_|assignsubmission_)"
)


class Catalogue(Protocol):
    """The labs and their exercises; the course's own is `hpml.course.labs.catalogue`."""

    LABS: tuple[str, ...]

    def exercises(self, lab: str, /) -> tuple[Exercise, ...]:
        """Return the exercises of a lab."""

    def choice(self, lab: str, /) -> Choice:
        """Return the explanation that ends a lab."""


COURSE: Catalogue = course


def entries(catalogue: Catalogue, lab: str) -> list[Exercise | Choice]:
    """Return the exercises of a lab and its explanation."""
    return [*catalogue.exercises(lab), catalogue.choice(lab)]


class NothingToJudge(Exception):
    """A notebook cannot be read, or lacks the function; the message is for the student."""

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
    path: Path,
    *,
    lab: str | None = None,
    catalogue: Catalogue = COURSE,
    unpacked: Path | None = None,
) -> Submission:
    """Return the submission at `path`: a notebook, or a folder of notebooks named like labs.

    A zip is unpacked into the folder `unpacked`, which has to exist while it is graded.
    """
    if not path.is_symlink() and not path.exists():
        raise BadRequest(
            object=describe(str(path), limit=300),
            expected="a notebook or a folder of notebooks",
            received="nothing of this name",
            remedy="Check its spelling and the working directory.",
        )
    place, there = _opened(path, lab, catalogue, unpacked)
    wanted = [lab] if lab else sorted(there)
    if not wanted:
        raise BadRequest(
            object=describe(str(path), limit=300),
            expected=f"the name of a lab, such as {_file_name(catalogue.LABS[0])}",
            received="a name that does not say which lab it is",
            remedy="Name the lab with --lab.",
        )
    name = path.resolve().name if path.is_dir() else path.stem
    return _submission(name, {place: there}, wanted)


def find_class(
    folder: Path,
    *,
    lab: str | None = None,
    catalogue: Catalogue = COURSE,
    unpacked: Path | None = None,
) -> tuple[list[Submission], list[str]]:
    """Return the submissions in a folder, and the names of all other entries.

    Zips are unpacked into the folder `unpacked`, which has to exist while they are graded.

    A submission is a folder or a notebook, or several that a platform named for one student. A
    file of another kind is one, without a notebook, only under a name that Canvas gave it.
    """
    if not folder.is_dir():
        raise BadRequest(
            object="--class",
            expected="the folder of a class",
            received=describe(str(folder), limit=300),
            remedy="Name the folder that contains the submissions.",
        )
    there: dict[Path, dict[str, tuple[Path, ...]]] = {}
    left_out = []
    for entry in _entries(folder):
        own = lab_of(entry.name, catalogue)
        counts = own == lab if own and lab else own or _NOTEBOOK.search(entry.name)
        if entry.is_dir() or entry.is_symlink() or counts:
            place, found = _opened(entry, lab, catalogue, unpacked)
            there[place] = found
        elif is_zip(entry) and (zipped := _opened(entry, lab, catalogue, unpacked))[1]:
            there[zipped[0]] = zipped[1]
        elif own is None and _PLATFORM.match(entry.name):
            there[entry] = {}
        else:
            left_out.append(entry.name)
    wanted = [lab] if lab else sorted({each for found in there.values() for each in found})
    if not wanted or not there:
        raise BadRequest(
            object=describe(str(folder), limit=300),
            expected="folders or notebooks with the names of labs",
            received="none",
            remedy="Name the lab with --lab.",
        )
    submissions = []
    places = {place.name: place for place in there}
    for group in by_student([*places]):
        uploads = {places[name]: there[places[name]] for name in group}
        submissions.append(_submission(group[0], uploads, wanted))
    return submissions, left_out


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
    except NothingToJudge as error:
        return str(error)


def lab_number(lab: str) -> str:
    """Return the two-digit number of a lab."""
    number = lab.zfill(2)
    if number not in COURSE.LABS:
        raise BadRequest(
            object="lab",
            expected=f"one of {', '.join(COURSE.LABS)}, which have exercises",
            received=describe(lab),
            remedy="Choose one of them.",
        )
    return number


def lab_of(name: str, catalogue: Catalogue = COURSE) -> str | None:
    """Return the lab that a file name contains or whose number it starts with.

    Platforms prepend names and numbers: ``lovelaceada_4711_998_06_forward_order-1.ipynb``.
    """
    if not _may_be_notebook(name):
        return None
    for lab in catalogue.LABS:
        if Path(_file_name(lab)).stem.lower() in name.lower():
            return lab
    match = _NUMBER.match(name)
    return match[1] if match and match[1] in catalogue.LABS else None


def _may_be_notebook(name: str) -> bool:
    other = _OTHER.search(name) and not name.lower().endswith(_KEPT)
    return bool(_NOTEBOOK.search(name) or other)


def _opened(
    path: Path, lab: str | None, catalogue: Catalogue, unpacked: Path | None
) -> tuple[Path, dict[str, tuple[Path, ...]]]:
    """Return the notebooks of an upload and where it is, unpacked if they are in its only zip."""
    found = _notebooks(path, lab, catalogue)
    if unpacked is None or (found and not is_zip(path)):
        return path, found
    zips = [path] if is_zip(path) else []
    if path.is_dir() and not path.is_symlink():
        zips = [entry for entry in _entries(path) if is_zip(entry)]
    place = unpacked / path.name
    if len(zips) == 1:
        unpacked.mkdir(mode=0o700, exist_ok=True)
    if len(zips) == 1 and unpack(zips[0], place, _may_be_notebook):
        return place, _notebooks(place, lab, catalogue)
    return path, {} if is_zip(path) else found


def _notebooks(path: Path, lab: str | None, catalogue: Catalogue) -> dict[str, tuple[Path, ...]]:
    """Return the notebooks of each lab at a path, or in its only subfolder."""
    if path.is_symlink() or not path.is_dir():
        own = lab or lab_of(path.name, catalogue)
        return {own: (path,)} if own else {}
    entries = _entries(path)
    while not any(_NOTEBOOK.search(each.name) or lab_of(each.name, catalogue) for each in entries):
        # An unpacked archive often has one folder around everything.
        folders = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
        # A whole copy of the course has other folders, too.
        folders = [entry for entry in folders if entry.name == "notebooks"] or folders
        if len(folders) != 1:
            break
        entries = _entries(folders[0])
    by_lab: dict[str, list[Path]] = {}
    for entry in entries:
        if _may_be_notebook(entry.name):
            by_lab.setdefault(lab_of(entry.name, catalogue) or "", []).append(entry)
    for own, same in by_lab.items():
        # Other forms count only where there is no notebook. The lab's own file name is first.
        best = [each for each in same if _NOTEBOOK.search(each.name)] or same
        by_lab[own] = sorted(best, key=lambda each: not own or each.name != _file_name(own))
    others = by_lab.pop("", [])
    if lab and lab not in by_lab and len(others) == 1 and not re.match(r"\d\d_", others[0].name):
        by_lab[lab] = others
    wanted = [lab] if lab else catalogue.LABS
    return {each: tuple(by_lab[each][:_MOST]) for each in wanted if each in by_lab}


def _entries(folder: Path) -> list[Path]:
    """Return the entries of a folder without hidden files and those of the system."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # reading its notebook reports the reason
        return []
    return [entry for entry in entries if not entry.name.startswith((".", "__MACOSX"))]


def _file_name(lab: str) -> str:
    """Return the file name of the lab's notebook."""
    own = _handed_out(lab)
    return own[0].name if own else f"{lab}_lab.ipynb"


def read_bytes(path: Path) -> bytes:
    """Return the content of a submitted file."""

    def opened(name: str, flags: int) -> int:
        # A link could point to the grader's files, and opening a pipe could block.
        for each in ("O_NONBLOCK", "O_NOFOLLOW"):  # Windows has neither
            flags |= getattr(os, each, 0)
        return os.open(name, flags)

    try:
        with open(path, "rb", opener=opened) as stream:
            about = os.fstat(stream.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise NothingToJudge(f"The notebook {path.name} is not a file.")
            if about.st_size > _MOST_BYTES:
                raise NothingToJudge(
                    f"The notebook {path.name} has {format_bytes(about.st_size)}, at most "
                    f"{format_bytes(_MOST_BYTES)} are read; clear its outputs."
                )
            data = stream.read(_MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        folder = path.parent
        there = [e.name for e in _entries(folder)] if folder.is_dir() else [folder.name]
        but = f"; found {', '.join(there[:3])}" if there and not path.is_symlink() else ""
        raise NothingToJudge(f"The notebook {path.name} is missing{but}.", "missing") from None
    except OSError as error:
        why = f"The notebook {path.name} cannot be read: {error.strerror}."
        raise NothingToJudge(why) from None
    if not data.strip():
        raise NothingToJudge(f"The notebook {path.name} is empty.")
    return data


def alike(submissions: Sequence[Submission]) -> list[list[str]]:
    """Return groups of students with byte-identical notebooks, but for those of the course."""
    given = {_fingerprint(path) for lab in submissions[0].labs for path in _handed_out(lab)}
    groups: dict[str, dict[str, None]] = {}
    for submission in submissions:
        for mark in submission.fingerprints:
            if _HASH.fullmatch(mark) and mark not in given:
                groups.setdefault(mark, {})[submission.name] = None
    return [[*names] for names in groups.values() if len(names) > 1]


def _handed_out(lab: str) -> list[Path]:
    try:
        return [find_lab(lab)]
    except (CourseFileError, LabNotFoundError):
        return []


def one_form(name: str) -> str:
    """Return a name in Unicode normal form: ö as one character instead of two."""
    return unicodedata.normalize("NFC", name)


def student(name: str) -> str:
    """Return the name of a submission without its file extension."""
    return _ENDING.sub("", name)


def names_of(submission: str) -> tuple[str, str]:
    """Return the names of a submission: without and with a file extension."""
    return one_form(student(submission)), one_form(submission)


class Owner(NamedTuple):
    """Whose a submission is, as the platform wrote it into the name."""

    name: str
    number: str
    platform: str
    late: bool


def owner(name: str) -> Owner | None:
    """Return whose a submission is, or None if no platform named it."""
    match = _PLATFORM.match(name)
    if match is None:
        return None
    platform = "Canvas" if match["upload"] else "Moodle"
    return Owner(one_form(match["name"]).casefold(), match["id"], platform, bool(match["late"]))


def person(name: str) -> str:
    """Return the student's name as the platform writes it, or the name of the submission."""
    match = _PLATFORM.match(name)
    return match["name"] if match else student(name)


def by_student(names: Sequence[str]) -> list[list[str]]:
    """Group names by student, earliest upload first.

    Canvas keeps a file for each upload, Moodle one folder for the files and one for the text.
    """
    groups: dict[object, list[str]] = {}
    owners = {name: each and each[:2] for name in names for each in [owner(name)]}
    # Equal owners are a common prefix: "exam_2026_123_ada", "exam_2026_124_bob".
    platform = len({*owners.values()} - {None}) > 1
    for name in names:
        groups.setdefault((platform and owners[name]) or name, []).append(name)
    for group in groups.values():
        group.sort(key=_upload)
    return list(groups.values())


def _upload(name: str) -> int:
    match = _PLATFORM.match(name)
    return int(match["upload"] or 0) if match else 0
