"""The stored form of a notebook: what a person wrote, and nothing a machine left behind.

``python -m tests.project.notebooks --write`` brings all notebooks into it (``make tidy`` does), and
their minutes and the repository's address into the README, and those of each week into the
calendar; the tests compare with it.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import nbformat
from nbstripout import strip_output

from hpml.course.labs.catalogue import LABS, exercises
from hpml.course.release.address import address_of, first_cell, with_readme_address
from hpml.course.release.reading import RULES, length_of

ROOT = Path(__file__).resolve().parents[2]
LONGEST_CELL = 15
ADDRESS = address_of((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUP = first_cell(ADDRESS)
_STATED = re.compile(r"\*\*Exercise (\d\d)\.(\d) `")
# Everything else in a cell's metadata is written by editors and executors.
_KEPT = frozenset({"tags", "jupyter"})
_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebooks() -> list[Path]:
    """Return every notebook of the repository outside hidden folders and results."""
    return sorted(
        path
        for path in ROOT.rglob("*.ipynb")
        if not any(
            part.startswith(".") or part == "results" for part in path.relative_to(ROOT).parts
        )
    )


def normalised(text: str) -> str:
    """Return the stored form of a notebook given as JSON text."""
    notebook = nbformat.reads(text, as_version=4)
    strip_output(notebook, keep_output=False, keep_count=False, keep_id=True)
    notebook.metadata = nbformat.from_dict(_METADATA)
    _put_setup_first(notebook)
    _put_rules(notebook)
    _hide_questions(notebook)
    notebook.nbformat_minor = 5
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(
            {key: value for key, value in cell.metadata.items() if key in _KEPT}
        )
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def _put_setup_first(notebook: nbformat.NotebookNode) -> None:
    """Let the setup be the first code cell of a lab; other notebooks stay as they are."""
    cells = notebook.cells
    if not cells or not cells[0].source.startswith("# Lab "):
        return
    number = cells[0].source.split()[2]
    hidden = {"tags": ["setup"], "jupyter": {"source_hidden": True}}
    setup = nbformat.v4.new_code_cell(SETUP, id=f"{number}-setup", metadata=hidden)
    others = [cell for cell in cells[1:] if "setup" not in cell.metadata.get("tags", [])]
    notebook.cells = [cells[0], setup, *others]


def _put_rules(notebook: nbformat.NotebookNode) -> None:
    """Let the statement of each exercise end with what its declaration allows."""
    for cell in notebook.cells:
        found = _STATED.search(cell.source) if cell.cell_type == "markdown" else None
        if found is None or found[1] not in LABS:
            continue
        known = {exercise.number: exercise for exercise in exercises(found[1])}
        if exercise := known.get(int(found[2])):
            statement = RULES.sub("", cell.source).rstrip()
            begins = found[0] + f"{exercise.name}`** "
            statement = re.sub(
                re.escape(begins) + r"\([^)]*\)",
                lambda _, e=exercise, b=begins: b + e.title,
                statement,
            )
            cell.source = f"{statement}\n\n{exercise.rules}"


def only_asks(source: str) -> bool:
    """Return whether a cell of code only asks questions, whose answers need not see it.

    >>> only_asks('guess = predict("How many?", key="n")'), only_asks("n = 3")
    (True, False)
    """
    return all(
        isinstance(line, ast.Assign)
        and isinstance(line.value, ast.Call)
        and ast.unparse(line.value.func) == "predict"
        for line in ast.parse(source).body
    )


def _hide_questions(notebook: nbformat.NotebookNode) -> None:
    """Hide the code of cells that only ask a question, as lab 00 says."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and "predict(" in cell.source and only_asks(cell.source):
            cell.metadata["jupyter"] = {"source_hidden": True}
            cell.metadata["tags"] = [t for t in cell.metadata.get("tags", []) if t != "jupyter"]
            if not cell.metadata["tags"]:
                del cell.metadata["tags"]


def long_cells(text: str) -> list[str]:
    """Return one line for each code cell that is longer than a screen and no exercise."""
    found = []
    for number, cell in enumerate(nbformat.reads(text, as_version=4).cells):
        if cell.cell_type != "code" or "exercise" in cell.metadata.get("tags", []):
            continue
        lines = len(cell.source.splitlines())
        if lines > LONGEST_CELL:
            found.append(f"cell {number}: {lines} lines, expected at most {LONGEST_CELL}")
    return found


def with_head(notebook: str) -> str:
    """Return a notebook with the time that its cells take in its head."""
    nb = nbformat.reads(notebook, as_version=4)
    head = nb.cells[0]
    head.source = re.sub(r"\*\*Time\*\*[^:]*: [^.]+\.", length_of(nb).head, head.source)
    return str(nbformat.writes(nb))


def with_times(readme: str) -> str:
    """Return the README with a row for each lab that is there, its minutes in the last column."""

    def row(found: re.Match[str]) -> str:
        path = ROOT / "notebooks" / f"{found[2]}.ipynb"
        if not path.exists():
            return ""
        core, further = length_of(nbformat.read(path, as_version=4)).minutes
        return f"{found[1]} {core}{f' + {further}' if further else ''} |\n"

    return re.sub(r"(?m)^(\| `(\d\d_\w+)` \|.*\|)[^|\n]*\|\n", row, readme)


def with_weeks(calendar: str) -> str:
    """Return the calendar with the minutes of each week's labs."""

    def row(found: re.Match[str]) -> str:
        labs = [[*(ROOT / "notebooks").glob(f"{lab}_*")] for lab in found[2].split(", ")]
        if not all(labs):  # in a copy with some of the labs
            return found[0]
        minutes = [length_of(nbformat.read(path, as_version=4)).minutes for (path,) in labs]
        core, further = (sum(part) for part in zip(*minutes, strict=True))
        return f"{found[1]}{found[2]} |{found[3]}| {core} | {further} |"

    labs = r"\d\d(?:, \d\d)*"
    return re.sub(rf"(?m)^(\| \d+ \| )({labs}) \|([^|]*)\| \d+ \| \d+ \|", row, calendar)


def main(arguments: list[str]) -> int:
    """Write the stored form of every notebook that is not in it yet."""
    if arguments != ["--write"]:
        print("expected: python -m tests.project.notebooks --write", file=sys.stderr)
        return 2
    for path in notebooks():
        text = path.read_text(encoding="utf-8")
        wanted = normalised(with_head(text))
        if wanted != text:
            path.write_text(wanted, encoding="utf-8", newline="\n")
            print(f"normalised {path.relative_to(ROOT)}")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    wanted = with_readme_address(with_times(readme), ADDRESS)
    if wanted != readme:
        (ROOT / "README.md").write_text(wanted, encoding="utf-8", newline="\n")
        print("wrote the labs' minutes and the repository's address into README.md")
    calendar = (ROOT / "CALENDAR.md").read_text(encoding="utf-8")
    if calendar != (wanted := with_weeks(calendar)):
        (ROOT / "CALENDAR.md").write_text(wanted, encoding="utf-8", newline="\n")
        print("wrote the minutes of each week into CALENDAR.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
