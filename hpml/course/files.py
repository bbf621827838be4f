"""Find the course on disk: its notebooks, its data, and the student's results."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hpml.base.errors import HpmlError, describe
from hpml.base.files import can_write

_PUBLISHED = "published_results.json"
_PACKAGE = Path(__file__).resolve().parents[1]
_CLONE = _PACKAGE.parent
PACKAGED = _PACKAGE / "_course"
"""The course inside an installed wheel: notebooks and data, read-only."""
COPY = "hpml-course"
"""Name of the folder to which ``hpml lab`` copies the course outside of a clone."""


class CourseFileError(HpmlError):
    """A folder or file of the course is missing or invalid."""


def course_folder() -> Path:
    """Return the root of the course, which contains ``notebooks/`` and ``data/``.

    It is ``HPML_HOME`` if that environment variable is set; else the clone that this package was
    installed from; else the working directory, the copy that ``hpml lab`` made in it, or the
    nearest parent; else the course inside the installed package.

    Raises:
        CourseFileError: if no course folder is found; the message lists the searched folders.

    >>> (course_folder() / "data" / "published_results.json").is_file()
    True
    """
    home = os.environ.get("HPML_HOME")
    if home:
        folder = Path(home).expanduser().resolve()
        if _is_course(folder):
            return folder
        raise CourseFileError(
            object="HPML_HOME",
            expected=f"a folder with notebooks/ and data/{_PUBLISHED}",
            received=describe(home, limit=500),
            remedy="Set it to the folder of your clone, or unset it.",
        )
    here = Path.cwd()
    for folder in (_CLONE, here, here / COPY, *here.parents, PACKAGED):
        if _is_course(folder):
            return folder
    raise CourseFileError(
        object="course folder",
        expected=f"notebooks/ and data/{_PUBLISHED} in {_CLONE}, in {PACKAGED}, or at or above "
        f"{here}",
        received="none",
        remedy="Install hpml again, or set HPML_HOME to a clone.",
    )


def data_file(name: str) -> Path:
    """Return the path of a file in the course's ``data/`` folder.

    Args:
        name: path relative to ``data/``, for example ``"published_results.json"``.

    Raises:
        CourseFileError: if there is no such file or folder.

    >>> data_file("published_results.json").name
    'published_results.json'
    """
    path = course_folder() / "data" / name
    if not path.exists():
        raise CourseFileError(
            f"{path} is missing.",
            object=str(path),
            expected="a file of the course",
            received="none",
            remedy="To restore a deleted file, run `git checkout -- data`.",
        )
    return path


def results_folder() -> Path:
    """Return the folder for the student's measurements, created if missing and ignored by git.

    It is ``HPML_RESULTS`` if that environment variable is set; else ``results/`` in the course
    folder, or in the working directory if the course exists only in the installed package. If that
    is not writable, as on a shared server, it is ``hpml/`` in the user's data folder.

    Raises:
        CourseFileError: if the folder cannot be made or written to, or if ``HPML_RESULTS`` is not
            set and there is no course folder.

    >>> results_folder().is_dir()
    True
    """
    chosen = os.environ.get("HPML_RESULTS")
    folder = Path(chosen).expanduser().resolve() if chosen else _usual_results()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_results(folder, chosen, str(error)) from error
    if not os.access(folder, os.W_OK):
        raise _no_results(folder, chosen, "it is read-only")
    return folder


def _usual_results() -> Path:
    course = course_folder()
    folder = (Path.cwd() if course == PACKAGED else course) / "results"
    return folder if can_write(folder) else user_folder()


def _no_results(folder: Path, chosen: str | None, why: str) -> CourseFileError:
    return CourseFileError(
        object="HPML_RESULTS" if chosen else "folder of results",
        expected="a folder that can be made and written to",
        received=f"{describe(chosen or str(folder), limit=500)} ({why})",
        remedy="Set HPML_RESULTS to such a folder: export HPML_RESULTS=/tmp/hpml-results.",
    )


def published(block: str) -> dict[str, Any]:
    """Return one block of published results, to compare measurements with.

    Args:
        block: name of a block of ``data/published_results.json``, such as ``"deep_linear_cpu"``.

    Returns:
        The block as read from JSON: ``source``, ``hardware``, ``unit`` and the results.

    >>> published("deep_linear_cpu")["unit"]
    'batches/s'
    """
    result: dict[str, Any] = json.loads(data_file(_PUBLISHED).read_text(encoding="utf-8"))[block]
    return result


def recorded(name: str) -> dict[str, Any]:
    """Return a recording from another machine in ``data/recorded``, as read from JSON."""
    text = data_file(f"recorded/{name}.json").read_text(encoding="utf-8")
    result: dict[str, Any] = json.loads(text)
    return result


def user_folder() -> Path:
    """Return the results folder for a read-only course folder; it may not exist."""
    import platformdirs

    return platformdirs.user_data_path("hpml", appauthor=False)


def _is_course(folder: Path) -> bool:
    # Many projects have notebooks/ and data/, so check a file as well.
    return (folder / "notebooks").is_dir() and (folder / "data" / _PUBLISHED).is_file()
