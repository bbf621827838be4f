"""Make the students' copy: the course without the solutions and the instructors' files.

Only files tracked by git are handed out, so notes beside the code stay private. Wrong answers,
hints and explanations, which checks need, are packed because they reveal what is right. A wheel of
these files is beside the notebooks, for a machine that has nothing else of the copy.
"""

from __future__ import annotations

import re
import subprocess
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.course.files import course_folder
from hpml.course.labs.catalogue import LABS, choice, exercises
from hpml.course.lesson.cells import python_cells
from hpml.course.lesson.execute import labs
from hpml.course.lesson.texts import PACKED
from hpml.course.release.address import (
    checked,
    first_cell,
    with_project_address,
    with_readme_address,
)
from hpml.course.release.folder import ReleaseError, write_folder, write_zip
from hpml.course.release.wheel import build_wheel
from hpml.course.sandbox.notebook import parse

if TYPE_CHECKING:
    from nbformat import NotebookNode

_HANDED_OUT = (
    ".gitignore",
    "LICENSE",
    "Makefile",
    "README.md",
    "conftest.py",
    "constraints.txt",
    "data",
    "environment.yml",
    "hpml",
    "notebooks/LICENSE.md",
    "pyproject.toml",
    "tests/graded",
    "tests/needs.py",
)
# Merging two notebooks line by line can break them. So git takes one whole: the student's, where
# nbgitpuller merges and both have changed.
_MERGED_WHOLE = "*.ipynb -merge\n"


def release(out: Path, address: str = "") -> Path:
    """Write the students' copy as the folder `out` and as a zip beside it; return the zip.

    Args:
        out: the folder, which is new, empty or an earlier release.
        address: where students can install this copy from with git; "" if nowhere. The address of
            the course itself is not handed out, because it gives another copy than this one.
    """
    files = student_files(course_folder(), address and checked(address))
    name, wheel = build_wheel(files)
    files[f"notebooks/{name}"] = wheel
    archive = out.resolve().with_name(f"{out.resolve().name}.zip")
    write_folder(out, files, "student copy")
    write_zip(archive, files, "hpml-course")
    return archive


def student_files(course: Path, address: str = "") -> dict[str, bytes]:
    """Return the files of the students' copy by name, without the wheel."""
    import nbformat

    files = {name: (course / name).read_bytes() for name in _known(course)}
    answers = [name for name in files if "/wrong_answers/" in name or name.endswith("/texts.toml")]
    for name in answers:
        files[str(Path(name).with_suffix(PACKED).as_posix())] = zlib.compress(files.pop(name))
    readme = with_readme_address(files["README.md"].decode("utf-8"), address)
    project = with_project_address(files["pyproject.toml"].decode("utf-8"), address)
    files["README.md"] = for_students(readme).encode("utf-8")
    files["pyproject.toml"] = project.encode("utf-8")
    files[".gitattributes"] = _MERGED_WHOLE.encode()
    unknown = set(not_handed_out(course))
    for path in labs():
        if f"notebooks/{path.name}" in unknown:
            continue
        notebook: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
                if "setup" in cell.metadata.get("tags", []):
                    cell.source = first_cell(address)
        text: str = nbformat.writes(notebook) + "\n"  # type: ignore[no-untyped-call]
        if done := _done(path.stem[:2], text):
            raise ReleaseError(
                object=path.name,
                expected="stubs only",
                received=f"answers: {', '.join(done)}",
                remedy=f"Restore it with `git checkout -- notebooks/{path.name}`.",
            )
        files[f"notebooks/{path.name}"] = text.encode("utf-8")
    return files


def not_handed_out(course: Path) -> list[str]:
    """Return files in the handed-out folders that git does not track."""
    if not (course / ".git").exists():
        return []
    places = (*_HANDED_OUT, "notebooks")
    return _listed(course, "--others", "--exclude-standard", "--", *places)


def for_students(readme: str) -> str:
    """Return the README without the sections and links for instructors."""
    readme = re.sub(
        r"^- \[[^]]*\]\((?:INSTRUCTORS|CONTRIBUTING|CHANGELOG)\.md\b.*\n", "", readme, flags=re.M
    )
    parts = re.split(r"^(?=## )", readme, flags=re.MULTILINE)
    return (
        "".join(part for part in parts if not part.startswith("## For instructors")).rstrip() + "\n"
    )


def _known(course: Path) -> list[str]:
    """Return the tracked files to hand out; in a copy without git, all that exist."""
    if (course / ".git").exists():
        found = _listed(course, "--cached", "--", *_HANDED_OUT)
    else:
        paths = [
            path for name in _HANDED_OUT for path in [course / name, *(course / name).rglob("*")]
        ]
        found = [
            path.relative_to(course).as_posix()
            for path in paths
            if path.is_file() and path.suffix != ".pyc"
        ]
    return sorted(found)


def _listed(course: Path, *words: str) -> list[str]:
    command = ["git", "ls-files", "-z", *words]
    try:
        ran = subprocess.run(command, cwd=course, capture_output=True, text=True)
    except OSError as error:
        raise ReleaseError(
            object="git",
            expected=f"a program that lists the tracked files of {course}",
            received=str(error),
            remedy="Install git (Debian, Ubuntu: apt-get install git).",
        ) from error
    if ran.returncode:
        raise ReleaseError(
            object=str(course),
            expected="a repository whose files git can list",
            received=ran.stderr.strip(),
            remedy="Run the command in a clone of the repository.",
        )
    return [name for name in ran.stdout.split("\0") if (course / name).is_file()]


def _done(lab: str, notebook: str) -> list[str]:
    """Return the exercises that a notebook has solved; of all labs if it is of none."""
    program = parse(python_cells(notebook))
    if lab not in LABS:
        names = [each.name for known in LABS for each in exercises(known)]
        return [name for name in names if program.defines(name) and not program.is_stub(name)]
    item = choice(lab)
    done = [each.name for each in exercises(lab) if not program.is_stub(each.name)]
    return done + ([item.name] if program.literal(item.name) is not None else [])
