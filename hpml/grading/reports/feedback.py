"""What a student is given: a page of Markdown, and Gradescope's file; neither holds the seed."""

from __future__ import annotations

from pathlib import Path

from hpml.base.files import write_atomically
from hpml.grading.reports.report import Item, Report, by_part, file_name, write


def write_feedback(report: Report, folder: Path, labs: str) -> None:
    """Write ``NAME.LABS.md`` and ``NAME.LABS.json`` for one student."""
    write(report, folder / file_name(report.name, labs, "json"))
    write_atomically(folder / file_name(report.name, labs, "md"), feedback_page(report))


def feedback_page(report: Report) -> str:
    """Return the page for one student, as Markdown.

    >>> item = Item("06", 1, "count_calls", 2.0, "right", parts={"right": 2.0})
    >>> print(feedback_page(Report("ada", (item,), seed=7)))
    # ada: 2 of 2 points
    <BLANKLINE>
    ## 06.1 count_calls: right, 2 of 2 points
    <BLANKLINE>
    """
    lines = [f"# {report.shown}: {report.total}", ""]
    for item in report.items:
        lines += _section(item)
    return "\n".join(lines)


def _section(item: Item) -> list[str]:
    lines = [f"## {item.title}: {item.status}, {item.out_of} points", ""]
    lines += [f"- {part}" for part in by_part(item)]
    lines += [""] if by_part(item) else []
    if item.text:
        # Indented, it is shown as it is, whatever it holds.
        lines += [*(f"    {line}" for line in item.text.splitlines()), ""]
    if item.printed:
        lines += ["It printed:", "", *(f"    {line}" for line in item.printed.splitlines()), ""]
    return lines
