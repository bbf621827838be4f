"""What was handed in, and grading it: a notebook, or a folder of notebooks named as the labs.

Nothing is written beside a submission; what else lies in its folder is named, and not looked into.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hpml.base.errors import describe
from hpml.base.files import CourseFileError
from hpml.course.execute import LabNotFoundError, find_lab
from hpml.grading.errors import GradingError
from hpml.grading.limits import Limits
from hpml.grading.notebook_file import same_code
from hpml.grading.pool import COURSE, Catalogue, Grader, Task
from hpml.grading.reports.report import Report
from hpml.grading.sandbox import Isolation

_SMALL = 2**24
_NAME = re.compile(r"(\d\d)[ _-].*\.ipynb", re.IGNORECASE)
_SHOWN = 4
_MOST = 3  # notebooks of a student that are graded for a lab


@dataclass(frozen=True)
class Submission:
    """What one student handed in: notebooks by lab, or the path that one should have."""

    name: str
    notebooks: tuple[tuple[str, Path], ...]
    remarks: tuple[tuple[str, str], ...] = ()  # by lab, for the instructor: what else is there

    @property
    def labs(self) -> tuple[str, ...]:
        """The labs it is graded for."""
        return tuple(dict.fromkeys(lab for lab, _ in self.notebooks))

    def task(self, seed: int, names: Sequence[str] | None = None) -> Task:
        """Return the task to grade it."""
        chosen = None if names is None else tuple(names)
        paths: dict[str, tuple[Path, ...]] = {}
        for lab, path in self.notebooks:
            paths[lab] = (*paths.get(lab, ()), path)
        return Task(self.name, paths, seed, chosen)


def find(
    path: Path, *, labs: Sequence[str] | None = None, catalogue: Catalogue = COURSE
) -> Submission:
    """Return the submission at `path`."""
    known = catalogue.LABS
    for lab in labs or ():
        if lab not in known:
            expected = ", ".join(known)
            raise GradingError(f"Lab {describe(lab)} has no exercises; expected one of {expected}.")
    if path.is_dir():
        one = labs is not None and len(labs) == 1
        there, remarks = _notebooks(path, labs or known, known if one else ())
        wanted = labs if labs is not None else [lab for lab in sorted(there) if lab in known]
        if not wanted:
            text = f"expected notebooks named as the labs, {', '.join(map(_file_name, known))}"
            raise GradingError(f"{describe(str(path))}: {text}; found none of them.")
        chosen = tuple(
            (lab, each) for lab in wanted for each in there.get(lab, [path / _file_name(lab)])
        )
        told = tuple((lab, remarks[lab]) for lab in wanted if remarks.get(lab))
        return Submission(path.resolve().name, chosen, told)
    if not path.is_symlink() and not path.exists():
        text = "expected a notebook or a folder of notebooks."
        raise GradingError(f"Nothing is at {describe(str(path))}; {text}")
    wanted = labs or known
    named = [lab for fits in (_begins, _contains) for lab in wanted if fits(path.name, lab)]
    found = wanted[0] if labs is not None and len(labs) == 1 else next(iter(named), None)
    if found is None:
        text = f"a name such as {_file_name(known[0])}, or the lab's number with --lab"
        raise GradingError(f"{describe(path.name)} does not say which lab it is: expected {text}.")
    return Submission(path.stem, ((found, path),))


def grade(
    path: Path | str,
    *,
    lab: str | int | None = None,
    seed: int | None = None,
    names: Sequence[str] | None = None,
    limits: Limits | None = None,
    catalogue: Catalogue = COURSE,
    isolation: Isolation = "none",
) -> Report:
    """Grade one submission."""
    labs = None if lab is None else [lab_number(lab)]
    submission = find(Path(path), labs=labs, catalogue=catalogue)
    chosen = random_seed() if seed is None else seed
    with Grader(limits=limits, catalogue=catalogue, isolation=isolation) as grader:
        items, seconds = grader.grade(submission.task(chosen, names))
    return Report(submission.name, items, chosen, seconds, isolation)


def lab_number(lab: str | int) -> str:
    """Return the number of a lab with two digits.

    >>> lab_number(6), lab_number("06")
    ('06', '06')
    """
    text = str(lab)
    if not (text.isascii() and text.isdecimal() and len(text) <= 2):
        raise GradingError(f"expected the number of a lab, such as 06; received {describe(lab)}.")
    return f"{int(text):02}"


def random_seed() -> int:
    """Return a seed that no student can foresee."""
    return secrets.randbelow(2**31)


def says_another_lab(name: str, labs: Sequence[str], catalogue: Catalogue) -> bool:
    """Return whether a notebook has the name of a lab that is none of these."""
    others = set(catalogue.LABS).difference(labs)
    return any(_contains(name, lab) for lab in others)


def _notebooks(
    folder: Path, labs: Sequence[str], others: Sequence[str]
) -> tuple[dict[str, list[Path]], dict[str, str]]:
    """Return the notebooks of each lab in the folder, or in the only folder that is in it.

    Beside them a remark by lab. With `others`, all labs there are, the only notebook may have any
    name but theirs.
    """
    entries = top = _entries(folder)
    while not any(map(_is_notebook, entries)):
        # An archive that was unpacked often has one folder around everything.
        folders = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
        if len(folders) != 1:
            return {}, dict.fromkeys(labs, _there(top))
        entries = _entries(folders[0])
    found: dict[str, list[Path]] = {}
    # The lab's own name, then "06_forward_order (1).ipynb", then "Copy of 06_forward_order.ipynb".
    for lab in labs:
        named = [each for fits in (_is_named, _begins, _contains) for each in entries
                 if fits(each.name, lab)]  # fmt: skip
        named = list(dict.fromkeys(named))
        if named:
            # A copy that was worked on, beside an original that was not.
            worked_on = [each for each in named if not _is_untouched(each, lab)]
            found[lab] = worked_on[:_MOST] or named[:1]
    notebooks = [entry for entry in entries if _is_notebook(entry)]
    if others and not found and len(notebooks) == 1:
        match = _NAME.fullmatch(notebooks[0].name)  # a date begins with two digits as well
        if match is None or (match[1] not in others and match[0][2] != "_"):
            found[labs[0]] = notebooks
    return found, {lab: _there(entries) for lab in labs if lab not in found}


def _there(entries: Sequence[Path]) -> str:
    names = [entry.name for entry in entries]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"There is also: {', '.join(names[:_SHOWN])}{more}." if names else ""


def _entries(folder: Path) -> list[Path]:
    """Return what is in the folder, but for what a system puts there by itself."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise GradingError(f"{describe(str(folder))} cannot be read: {error.strerror}.") from None
    return [entry for entry in entries if not entry.name.startswith((".", "__MACOSX"))]


def _is_notebook(entry: Path) -> bool:
    return entry.suffix.lower() == ".ipynb"


def _is_untouched(path: Path, lab: str) -> bool:
    """Return whether the code is that of the course's own notebook."""
    try:
        return same_code(find_lab(lab), path, _SMALL)
    except (CourseFileError, LabNotFoundError, OSError):
        return False


def _is_named(name: str, lab: str) -> bool:
    return name.lower() == _file_name(lab).lower()


def _begins(name: str, lab: str) -> bool:
    match = _NAME.fullmatch(name)
    return match is not None and match[1] == lab


def _contains(name: str, lab: str) -> bool:
    return name.lower().endswith(".ipynb") and Path(_file_name(lab)).stem in name


def _file_name(lab: str) -> str:
    """Return how the course calls the lab's notebook."""
    try:
        return find_lab(lab).name
    except (CourseFileError, LabNotFoundError):
        return f"{lab}_lab.ipynb"
