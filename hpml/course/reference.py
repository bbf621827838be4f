"""What a lab gave on a quiet machine, kept in ``data/reference/NN.json`` by ``hpml run --record``.

Where a student's own measurement cannot tell, the recorded result is shown beside it.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base.environment import environment_record
from hpml.base.errors import HpmlError
from hpml.base.files import append_line, course_folder, write_atomically
from hpml.base.page import Page, frame
from hpml.base.style import MUTED
from hpml.course.execute import result_texts, tagged_texts
from hpml.course.verdicts import verdicts_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

REVEALED = "HPML_REVEALED"
"""The environment variable that names the file for the results of a lab that is recorded."""


def keep_revealed(key: str, text: str) -> None:
    """Note the result of a question, in a run that is recorded."""
    if path := os.environ.get(REVEALED):
        append_line(path, json.dumps([key, text]))


def write_record(
    name: str, notebooks: Sequence[NotebookNode], revealed: Sequence[str | os.PathLike[str]]
) -> Path:
    """Write the record of a lab from its executed copies and what each revealed; return its path.

    Kept is the run whose conclusions most runs share, each with the number of runs that reached it.
    """
    drawn = [verdicts_of(each) for each in notebooks]
    shared = [
        [sum(run[place : place + 1] == (each,) for run in drawn) for place, each in enumerate(own)]
        for own in drawn
    ]
    best = max(range(len(drawn)), key=lambda run: sum(shared[run]))
    verdicts = tagged_texts(notebooks[best], "verdict", last=True)
    # What this run could not tell is answered by another.
    paths = [path for path in map(Path, (*revealed, revealed[best])) if path.exists()]
    lines = [line for path in paths for line in path.read_text().splitlines()]
    known = ("cpu", "gpu", "logical_cores", "python", "torch", "hpml")
    machine = environment_record()
    record = {
        "lab": name,
        "machine": {key: machine[key] for key in known},
        "runs": len(drawn),
        "results": list(result_texts(notebooks[best])),
        "verdicts": [[*each, runs] for each, runs in zip(verdicts, shared[best], strict=True)],
        "questions": dict(map(json.loads, lines)),
    }
    target = course_folder() / "data" / "reference" / f"{name[:2]}.json"
    write_atomically(target, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    return target


def read_record(lab: str) -> dict[str, Any] | None:
    """Return the record of a lab, or None where there is none."""
    try:
        path = course_folder() / "data" / "reference" / f"{lab}.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, HpmlError):
        return None
    return found


def recorded(lab: str, key: str) -> str:
    """Return a sentence with the recorded result of a question; empty where there is none."""
    record = read_record(lab)
    if record is None or key not in record["questions"]:
        return ""
    cpu, text = record["machine"]["cpu"], record["questions"][key]
    return f"Recorded on a quiet machine ({cpu}): {text}."


def recorded_conclusion(lab: str) -> str:
    """Return what a lab's closing experiment showed when it was recorded; empty if it was not."""
    record = read_record(lab)
    if record is None or not record["verdicts"]:
        return ""
    last = " ".join(record["verdicts"][-1][1].split("\n\n")[-1].split())
    return f"Recorded on a quiet machine ({record['machine']['cpu']}): {last}"


def reference(lab: int | str) -> Page:
    """Return what a lab gave on a quiet machine: its table of results and its conclusions.

    >>> reference("no such lab")
    No result of this lab was recorded.
    """
    record = read_record(f"{lab:02d}" if isinstance(lab, int) else lab)
    if record is None:
        text = "No result of this lab was recorded."
    else:
        machine = ", ".join(f"{key} {value}" for key, value in record["machine"].items() if value)
        verdicts = [
            f"{heading} ({runs} of {record['runs']} runs): {text}"
            for heading, text, runs in record["verdicts"]
        ]
        text = "\n\n".join([*record["results"], *verdicts, f"Recorded on {machine}."])
    return Page(text, frame("Recorded", f"<pre>{html.escape(text)}</pre>", MUTED))
