"""The scoreboard of a student's own engine: which version ran what, how fast, and when."""

from __future__ import annotations

import ast
import hashlib
import textwrap
import warnings
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from hpml.base.environment import flag
from hpml.base.page import notebook_shell
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison
from hpml.course.files import CourseFileError
from hpml.course.lesson.exercises.sources import program_of
from hpml.course.lesson.lab_file import LabFile
from hpml.course.lesson.predictions.prediction import current_lab
from hpml.course.lesson.racing import engine_name

FILE = LabFile("engine.json")

Row = dict[str, Any]


def scoreboard(raced: Comparison, network: str, functions: Sequence[Callable[..., Any]]) -> Table:
    """Add the student's functions of a race to the scoreboard, and return it.

    It is kept in ``engine.json`` in the results folder. A version is a source without its
    comments: what is raced again unchanged replaces its row, and after a change of the source there
    is a row more. The course's own version of a function has none. What a notebook's cell has drawn
    is shown first, so that the scoreboard is below it.

    Args:
        raced: the race, with a baseline. A function takes part as ``your NAME``; on a changed
            network, as ``your NAME, CHANGE``.
        network: what was run, such as ``"250 layers"``.
        functions: the student's, of which those that did not take part are passed over.
    """
    new = [
        _row(raced, name, network + name.removeprefix(f"your {function.__name__}"), function)
        for function in functions
        if engine_name(function).startswith("your ")
        for name in raced.names
        if name.partition(",")[0] == f"your {function.__name__}"
    ]
    shell = notebook_shell()
    if shell is not None:
        _show_drawn()
    rows = _keep(new) if shell is not None and not flag("HPML_HEADLESS") else new
    rows = sorted(rows, key=lambda row: (row["function"], row.get("number", 1), row["network"]))
    shown = [
        [
            f"{row['function']}, version {row.get('number', 1)}",
            row["network"],
            format_seconds(row["seconds"]),
            f"{row['ratio']} × {row['baseline']}",
            row["answer"],
            f"lab {row['lab']}, {row['when'][:16].replace('T', ' ')}",
        ]
        for row in rows
    ]
    shown = shown or [["none of your functions has taken part yet", *[""] * 5]]
    columns = ["your engine", "network", "time per call", "ratio", "verdict", "raced"]
    return Table(columns, shown)


def _row(raced: Comparison, name: str, network: str, function: Callable[..., Any]) -> Row:
    ratio, source = raced.ratio(name), _source(function)
    return {
        "function": function.__name__,
        "version": hashlib.sha256(source.encode()).hexdigest()[:12],
        "source": source,
        "network": network,
        "lab": current_lab().name,
        "when": datetime.now().astimezone().isoformat(timespec="minutes"),
        "seconds": raced[name].median,
        "ratio": ratio.with_interval,
        "answer": ratio.answer,
        "baseline": raced.baseline,
    }


def _source(function: Callable[..., Any]) -> str:
    """Return the source of a function and of what it uses, without comments."""
    parts = map(textwrap.dedent, program_of(function).sources.values())
    return "\n\n".join(sorted(ast.unparse(ast.parse(part)) for part in parts)).strip()


def _show_drawn() -> None:
    import matplotlib.pyplot as plt

    plt.show()


def _keep(new: list[Row]) -> list[Row]:
    """Save the new rows, with the numbers of their versions; return all."""
    try:
        with FILE.changing() as labs:
            rows: list[Row] = labs.setdefault("all", {}).setdefault("rows", [])
            for row in new:
                own = [each for each in rows if each["function"] == row["function"]]
                numbers = {each["version"]: each["number"] for each in own}
                row["number"] = numbers.get(row["version"], 1 + max(numbers.values(), default=0))
                for each in own:
                    if (each["version"], each["network"]) == (row["version"], row["network"]):
                        rows.remove(each)
                rows.append(row)
            return list(rows)
    except (OSError, CourseFileError) as error:
        # A full disk or a read-only folder must not make the cell fail.
        warnings.warn(f"Your scoreboard was not kept: {error}", stacklevel=3)
    return new
