"""The conclusions of a lab over several runs, and its results recorded on a quiet machine.

A claim is reliable only if every run reaches it. ``hpml run --record`` records.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base.environment import environment_record
from hpml.base.errors import HpmlError
from hpml.base.files import append_line, write_atomically
from hpml.base.tables import Table
from hpml.course.files import course_folder
from hpml.course.lesson.execute import result_texts, tagged_texts

if TYPE_CHECKING:
    from nbformat import NotebookNode

REVEALED = "HPML_REVEALED"
"""Environment variable: the file to which a recorded run writes its revealed results."""

CLOSING = "closing"
"""Key of the closing verdict's quantities in a record."""

_NUMBER = re.compile(
    r"[-−+]?\d(?:[\d,.]*\d)?(?:e[-+]?\d+)?(?:\s?(?:%|×|ns|µs|us|ms|min|s|h|B|[KMGT]iB)(?!\w))?"
)
_BEYOND = re.compile(r"\s*\(\d+ (?:samples? )?beyond the edge\)")


def keep_revealed(key: str, text: str) -> None:
    """Append the result of a question to the record, if this run is recorded."""
    if path := os.environ.get(REVEALED):
        append_line(path, json.dumps([key, text]))


def keep_closing(measured: Mapping[str, tuple[float, float, float]]) -> None:
    """Append the measured quantities of the closing verdict to the record, if there is one.

    Each has its value and the ends of its interval.
    """
    if path := os.environ.get(REVEALED):
        append_line(path, json.dumps([CLOSING, measured]))


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
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    questions: dict[str, Any] = dict(map(json.loads, lines))
    closing = questions.pop(CLOSING, {})
    known = ("cpu", "gpu", "logical_cores", "python", "torch", "hpml")
    machine = environment_record()
    record = {
        "lab": name,
        "machine": {key: machine[key] for key in known},
        "runs": len(drawn),
        "results": list(result_texts(notebooks[best])),
        "verdicts": [[*each, runs] for each, runs in zip(verdicts, shared[best], strict=True)],
        "questions": questions,
        CLOSING: closing,
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
    return f"{where_recorded(record)}: {record['questions'][key]}."


def recorded_conclusion(lab: str) -> str:
    """Return the recorded conclusion of a lab's last experiment, or an empty text."""
    record = read_record(lab)
    if record is None or not record["verdicts"]:
        return ""
    last = " ".join(record["verdicts"][-1][1].split("\n\n")[-1].split())
    return f"{where_recorded(record)}: {last}"


def where_recorded(record: Mapping[str, Any]) -> str:
    """Return where a record was made, as the beginning of a sentence."""
    machine = record["machine"]
    return f"Recorded on a quiet machine ({machine['cpu']}, {machine['gpu'] or 'no GPU'})"


def verdicts_of(notebook: NotebookNode) -> tuple[tuple[str, str], ...]:
    """Return the heading and the text, without numbers, of each cell tagged ``verdict``."""
    shown = tagged_texts(notebook, "verdict", last=True)
    return tuple((head, wording(text)) for head, text in shown)


def wording(text: str) -> str:
    """Return a text without numbers, units and notes on samples that are off the scale.

    Most verdicts are sentences about ratios, times and counts, and few come from `conclude`, so the
    text is all that they have in common.

    Near 0 an interval is shown without its value in some runs; the wording is the same.

    >>> wording("measured 17% (17% to 18%)"), wording("measured -1% to 1%")
    ('measured … to …', 'measured … to …')
    """
    words = " ".join(_NUMBER.sub("…", _BEYOND.sub("", text)).split())
    return words.replace("… (… to …)", "… to …")


def count_verdicts(runs: Iterable[Sequence[tuple[str, str]]]) -> Table:
    """Return how many runs reached each conclusion, for each verdict."""
    ran = list(runs)
    rows: list[list[object]] = []
    differ: list[str] = []
    most = max(map(len, ran), default=0)
    for place in range(most):
        # A run that failed has fewer conclusions.
        drawn = Counter(run[place] for run in ran if place < len(run))
        if len(drawn) > 1:
            differ.append(str(place + 1))
        rows += [
            [place + 1, head, f"{count} of {len(ran)}", text or "(nothing)"]
            for (head, text), count in drawn.most_common()
        ]
    summary = f"{len(differ)} of which differ{'s' * (len(differ) == 1)} between runs"
    return Table(
        ["verdict", "where", "runs", "conclusion"],
        rows,
        caption=f"{most} verdict{'s' * (most != 1)}, {summary}{': ' * bool(differ)}"
        f"{', '.join(differ)}.",
    )
