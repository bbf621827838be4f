"""Make the instructors' book: for each lab a plan, all answers, and exam questions.

It is generated from the notebooks, the exercises, the reference results and, in a clone,
``tests/solutions`` and ``tests/questions``. What a class did is beside the estimates if its table
is ``tests/observed.csv``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base.files import shown_path
from hpml.course.files import course_folder
from hpml.course.labs.catalogue import choice, exercises, explanation
from hpml.course.lesson.execute import labs
from hpml.course.lesson.exercises.wrong_answers import wrong_answers
from hpml.course.lesson.reference import read_record
from hpml.course.release.book import book_files
from hpml.course.release.folder import ReleaseError, write_folder
from hpml.course.release.questions import Question, gift, quiz, read_questions
from hpml.course.release.reading import length_of, predictions, sections_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

_ABOUT = (
    "For instructors only: plans, solutions, answers and exam questions. The folder "
    "<code>questions</code> has the questions for import: <code>.gift</code> for Moodle, "
    "<code>.txt</code> for <code>text2qti</code>, which makes QTI for Canvas."
)
OBSERVED = "observed.csv"
_OUTCOME = re.compile(r"(?m)^- (.+)[;.]$")


def make_teaching(out: Path) -> None:
    """Write the instructors' book of all labs into the folder `out`, with the exam questions."""
    import nbformat
    from nbformat.v4 import new_markdown_cell, new_notebook

    if not (course_folder() / "tests" / "solutions").is_dir():
        raise ReleaseError(
            object=str(course_folder()),
            expected="a course with tests/solutions",
            received="one without",
            remedy="Run the command in a clone of the repository, not in an installed package or "
            "a students' copy.",
        )
    questions = all_questions()
    pages = {}
    for path in labs():
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        lab = path.stem[:2]
        pieces = lab_page(lab, notebook, questions.get(lab, []))
        cells = [new_markdown_cell(text) for text in pieces]  # type: ignore[no-untyped-call]
        pages[path.stem] = new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    files = book_files(pages, _ABOUT)
    for lab, found in questions.items():
        files[f"questions/{lab}.gift"] = gift(lab, found)
        files[f"questions/{lab}.txt"] = quiz(lab, found)
    write_folder(out, {name: text.encode("utf-8") for name, text in files.items()}, "book")
    print(f"The instructors' book is {shown_path(out / 'index.html')}")


def all_questions() -> dict[str, list[Question]]:
    """Return the exam questions by lab."""
    folder = course_folder() / "tests" / "questions"
    return {each.stem: read_questions(each.read_text("utf-8")) for each in folder.glob("*.md")}


def outcomes(notebook: NotebookNode) -> list[str]:
    """Return the learning outcomes in the head of a lab."""
    return _OUTCOME.findall(notebook.cells[0].source)


def lab_page(lab: str, notebook: NotebookNode, questions: list[Question]) -> Iterator[str]:
    """Return the page of one lab as pieces of Markdown."""
    head = notebook.cells[0].source
    title = head.partition("\n")[0].removeprefix("# ")
    needs = re.search(r"\*\*You need\*\*: [^\n]*?\.(?= |$)", head)
    yield f"# {title}: for instructors\n\n{needs[0] if needs else ''}"
    rows = [
        [text, ", ".join(str(n) for n, each in enumerate(questions, 1) if each.outcome == place)]
        for place, text in enumerate(outcomes(notebook), 1)
    ]
    yield "## Outcomes\n\n" + _table(["outcome and its exercise", "exam questions below"], rows)
    seen = observed(lab)
    timed = {name: text for (kind, name), text in seen.items() if kind in ("section", "lab")}
    columns = ["section", "minutes, estimated", "predictions", "exercises"]
    rows = _plan(notebook)
    if timed:
        columns.insert(2, "minutes, observed")
        rows = [[*row[:2], timed.get(row[0], ""), *row[2:]] for row in rows]
    yield "## Plan\n\n" + _table(columns, rows)
    record = read_record(lab)
    known = record["questions"] if record else {}
    rows = [[each["question"], known.get(each["key"], "")] for each in predictions(notebook.cells)]
    cpu = f"Recorded on {record['machine']['cpu']}." if record else ""
    yield f"## Answers to the predictions\n\n{cpu}\n\n" + _table(["question", "result"], rows)
    yield from _exercises(lab, seen)
    end, right = explanation(lab), choice(lab).best
    claims = [f"- **{letter}**: {text}" for letter, text in zip("ABCDEF", end.claims, strict=False)]
    rows = [
        [f"**{number}, decides**" if number == right else str(number), text, why]
        for number, (text, why) in enumerate(end.experiments.items(), 1)
    ]
    yield (
        "\n".join([f"## Explanation\n\n{end.question}\n", *claims, ""])
        + "\n"
        + _table(["", "experiment", "what it would show"], rows)
    )
    for place, each in enumerate(questions, 1):
        marks = [f"- {'**right**: ' * right}{text}" for text, right in each.choices]
        number = [f"Answer: {each.number[0]} ± {each.number[1]}"] if each.number else []
        answer = [f"**Answer.** {each.guide}"]
        worth = f"{each.points} point{'s' * (each.points > 1)}"
        title = f"### Question {place}: {each.kind}, outcome {each.outcome} ({worth})"
        intro = ["## Exam questions"] if place == 1 else []
        yield "\n\n".join([*intro, title, each.text, "\n".join(marks), *number, *answer])


def observed(lab: str) -> dict[tuple[str, str], str]:
    """Return what a class did in a lab, by kind and name: ``tests/observed.csv``, if it is there.

    `hpml progress --class` writes this file; the median is followed by the quartiles.

    Raises:
        ReleaseError: if it is another table.
    """
    path = course_folder() / "tests" / OBSERVED
    if not path.is_file():
        return {}
    found = {}
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if missing := {"lab", "kind", "name", "unit", "students", "low", "median", "high"} - {
            *(reader.fieldnames or ())
        }:
            raise ReleaseError(
                object=str(path),
                expected="the table that hpml progress --class writes",
                received=f"one without {', '.join(sorted(missing))}",
                remedy="Write it again, or remove it.",
            )
        for row in reader:
            if row["lab"] != lab:
                continue
            ends = "" if row["unit"] == "%" else f"{row['low']} to {row['high']}, "
            text = f"{row['median']}{' %' if row['unit'] == '%' else ''}"
            found[row["kind"], row["name"]] = f"{text} ({ends}students: {row['students']})"
    return found


def _exercises(lab: str, seen: Mapping[tuple[str, str], str]) -> Iterator[str]:
    solutions = course_folder() / "tests" / "solutions" / f"lab_{lab}"
    for each in exercises(lab):
        points = f"{sum(each.worth.values()):g} {'points' if each.core else 'bonus points'}"
        points += f", estimated at {each.minutes:g} minutes"
        parts = [f"## Exercise {lab}.{each.number} `{each.name}` ({points})"]
        kinds = {
            "exercise": "Minutes",
            "first check right": "Right at the first check",
            "checks": "Checks until right",
        }
        facts = [
            f"{what}: {seen[kind, each.name]}."
            for kind, what in kinds.items()
            if (kind, each.name) in seen
        ]
        parts += [f"Observed. {' '.join(facts)}"] if facts else []
        for path in sorted((solutions / each.name).glob("right*.py"))[:1]:
            parts.append(f"```python\n{path.read_text('utf-8').strip()}\n```")
        for part, texts in each.hints.items():
            hints = [f"{number}. {text}" for number, text in enumerate(texts, 1)]
            parts.append("\n".join([f"Hints while the part *{part}* fails:\n", *hints]))
        rows = [[f"`{wrong.key}`", wrong.diagnosis] for wrong in wrong_answers(each)]
        columns = ["expected wrong answer", "what the check says"]
        met = {row[0]: seen.get(("wrong answer", f"{each.name}: {row[0][1:-1]}")) for row in rows}
        if any(met.values()):
            columns, rows = [*columns, "met by"], [[*row, met[row[0]] or ""] for row in rows]
        parts.append(_table(columns, rows))
        yield "\n\n".join(parts)


def _plan(notebook: NotebookNode) -> list[list[Any]]:
    """Return a row for each section: its minutes and its questions."""
    rows: list[list[Any]] = []
    for heading, part in sections_of(notebook):
        cells, length = part.cells, length_of(part)
        asked = re.findall(r"\*\*(Exercise \S+ `\w+`)\*\*", "\n".join(c.source for c in cells))
        times = f"{length.core.minutes:.0f}" if length.core.minutes >= 0.5 else ""
        more = f" + {length.further.minutes:.0f}" if length.further.minutes >= 0.5 else ""
        rows.append([heading, times + more, len(list(predictions(cells))), ", ".join(asked)])
    return rows


def _table(columns: list[str], rows: list[list[Any]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(
        "| " + " | ".join(" ".join(str(each).split()).replace("|", "\\|") for each in row) + " |"
        for row in lines
    )
