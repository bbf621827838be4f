"""The results of a lab on a quiet machine, recorded by ``hpml run --record`` for comparison."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base.environment import environment_record
from hpml.base.errors import HpmlError
from hpml.base.files import append_line, course_folder, write_atomically
from hpml.course.execute import result_texts, tagged_texts
from hpml.course.verdicts import verdicts_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

REVEALED = "HPML_REVEALED"
"""Environment variable: the file to which a recorded run writes its revealed results."""


def keep_revealed(key: str, text: str) -> None:
    """Append the result of a question to the record, if this run is recorded."""
    if path := os.environ.get(REVEALED):
        append_line(path, json.dumps([key, text]))


def write_record(
    name: str, notebooks: Sequence[NotebookNode], revealed: Sequence[str | os.PathLike[str]]
) -> Path:
    """Write the run whose conclusions are the most common, and return the path of the record."""
    drawn = [verdicts_of(each) for each in notebooks]
    shared = [
        [sum(run[place : place + 1] == (each,) for run in drawn) for place, each in enumerate(own)]
        for own in drawn
    ]
    best = max(range(len(drawn)), key=lambda run: sum(shared[run]))
    verdicts = tagged_texts(notebooks[best], "verdict", last=True)
    # For a question that this run left unclear, the result of another run is used.
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
    """Return the record of a lab, or None."""
    try:
        path = course_folder() / "data" / "reference" / f"{lab}.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, HpmlError):
        return None
    return found


def recorded(lab: str, key: str) -> str:
    """Return a sentence with the recorded result of a question, or an empty text."""
    record = read_record(lab)
    if record is None or key not in record["questions"]:
        return ""
    cpu, text = record["machine"]["cpu"], record["questions"][key]
    return f"Recorded on a quiet machine ({cpu}): {text}."


def recorded_conclusion(lab: str) -> str:
    """Return the recorded conclusion of a lab's last experiment, or an empty text."""
    record = read_record(lab)
    if record is None or not record["verdicts"]:
        return ""
    last = " ".join(record["verdicts"][-1][1].split("\n\n")[-1].split())
    return f"Recorded on a quiet machine ({record['machine']['cpu']}): {last}"
