"""The conclusions of a lab over several runs: a claim is reliable only if every run reaches it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hpml.base.tables import Table
from hpml.course.execute import tagged_texts

if TYPE_CHECKING:
    from nbformat import NotebookNode

_NUMBER = re.compile(
    r"[-−+]?\d(?:[\d,.]*\d)?(?:e[-+]?\d+)?(?:\s?(?:%|×|ns|µs|us|ms|min|s|h|B|[KMGT]iB)(?!\w))?"
)
_BEYOND = re.compile(r"\s*\(\d+ (?:samples? )?beyond the edge\)")


def verdicts_of(notebook: NotebookNode) -> tuple[tuple[str, str], ...]:
    """Return the heading and the text, without numbers, of each cell tagged ``verdict``."""
    shown = tagged_texts(notebook, "verdict", last=True)
    return tuple((head, wording(text)) for head, text in shown)


def wording(text: str) -> str:
    """Return a text without numbers, units and notes on samples that are off the scale."""
    return " ".join(_NUMBER.sub("…", _BEYOND.sub("", text)).split())


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
