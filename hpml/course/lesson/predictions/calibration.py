"""The figure at a lab's end: how accurate the predictions were, and whether they are biased."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.charts import name_decades
from hpml.base.page import Page, picture, sentence
from hpml.base.tables import Table, readable
from hpml.course.lesson.predictions import state, store
from hpml.course.lesson.predictions.prediction import Lab, current_lab
from hpml.course.lesson.progress import keep_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Calibration:
    """The questions of a lab, answered or not, and how accurate the answers were."""

    lab: str
    entries: tuple[state.Entry, ...]  # in the order asked, without the closing explanation

    @property
    def table(self) -> Table:
        """The questions by number, each with its prediction, its result and their difference."""
        rows = [_row(number, entry) for number, entry in enumerate(self.entries, start=1)]
        columns = ["", "question", "you said", "result", "your guess"]
        return Table(columns, rows, align=["right", "left", "right", "right", "left"])

    @property
    def summary(self) -> str:
        """The accuracy of the answers, in two or three sentences."""
        return _summary(self.entries)

    def figure(self) -> Figure:
        """Draw results against predictions, with the diagonal and bands of factor 2 and 10."""
        drawn = self._drawn()
        fig, ax = style.figure(width=6.4, height=5.2)
        with style.apply():
            ends = [float(x or 0) for _, entry in drawn for x in (entry.answer, entry.measured)]
            _draw_bands(ax, *((min(ends) / 5, max(ends) * 5) if ends else (0.1, 1000.0)))
            _draw_points(ax, drawn)
        style.finish(
            ax,
            title=f"Lab {self.lab}: predictions and results",
            x="predicted (numbers: the questions of the table)",
            y="result, in the unit of its question",
        )
        style.caption(fig, self.summary)
        return fig

    def _drawn(self) -> list[tuple[int, state.Entry]]:
        numbered = enumerate(self.entries, start=1)
        return [(number, entry) for number, entry in numbered if state.factor(entry) is not None]

    def __repr__(self) -> str:
        return f"{self.summary}\n{self.table}" if self.entries else self.summary

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        table = self.table._repr_html_() if self.entries else ""
        if not self._drawn():
            return Page(repr(self), sentence(self.summary) + table).bundle()
        drawn = picture(self.figure(), self.summary, table)
        return Page(repr(self), drawn.html, drawn.png).bundle()


def calibration() -> Calibration:
    """Return how accurate the predictions of the open lab were; a lab ends with it.

    Answers from earlier sessions count too, even if their questions were not asked in this kernel.

    >>> from hpml.course.lesson.predictions.session import lab_head
    >>> _ = lab_head("try-calibration", "Trying things out")
    >>> calibration().summary
    'No question was asked in this lab yet; run its cells from the top.'
    """
    lab = current_lab()
    keep_step(lab.name, "finished")
    return Calibration(lab.name, _entries(lab))


def _entries(lab: Lab) -> tuple[state.Entry, ...]:
    asked = {key: question.entry for key, question in lab.questions.items()}
    for key, kept in store.answers(lab.name).items():
        if key not in asked:
            asked[key] = kept_entry(key, kept)
    return tuple(asked.values())


def kept_entry(key: str, kept: dict[str, Any]) -> state.Entry:
    """Return a question of an earlier session with its answer."""
    unit = kept.get("unit")
    entry = state.Entry(
        key=key,
        question=str(kept.get("question", key)),
        unit=unit,
        choices=tuple(kept.get("choices", ())) if unit is None else (),
        exact=bool(kept.get("exact", False)),
    )
    return state.restore(entry, kept)


def _summary(entries: Sequence[state.Entry]) -> str:
    if not entries:
        return "No question was asked in this lab yet; run its cells from the top."
    timely = [entry for entry in entries if entry.answer is not None and not entry.late]
    if timely:
        factors = [times for entry in timely if (times := state.factor(entry)) is not None]
        parts = [_near(factors)] if factors else []
        found = [state.right(entry) for entry in timely if entry.choices or entry.exact]
        scored = [right for right in found if right is not None]
        if scored:
            asked = _things(len(scored), "question")
            parts.append(f"Of {asked} with one right answer, {sum(scored)} right.")
        parts.append(f"Answered in time: {len(timely)} of {_things(len(entries), 'question')}.")
        if unsure := sum(bool(state.why_not_scored(entry)) for entry in timely):
            parts.append(f"Not scored, because the measurement was too uncertain: {unsure}.")
    else:
        parts = [
            "None of the questions was answered before its result was shown. "
            "Guess before you measure: type a number into the field under each question, press "
            "Enter, then run the next cells. A wrong guess teaches more than none."
        ]
    if late := sum(entry.late for entry in entries):
        answers = _things(late, "answer")
        parts.append(
            f"{answers} locked after the result had been shown: drawn hollow, not counted."
        )
    return " ".join(parts)


def _near(factors: Sequence[float]) -> str:
    if len(factors) == 1:
        return f"The one number predicted was off by a factor of {readable(factors[0])}."
    two, ten = (sum(times <= limit for times in factors) for limit in (2, 10))
    return (
        f"Of {len(factors)} numbers predicted, {two} within a factor of 2 and {ten} "
        f"within a factor of 10; the median factor was {readable(statistics.median(factors))}."
    )


def _things(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _row(number: int, entry: state.Entry) -> list[object]:
    answer = "–" if entry.answer is None else entry.text(entry.answer)
    measured = "not measured yet" if entry.measured is None else entry.result
    distance = "not predicted" if entry.answer is None else "–"
    if entry.answer is not None and entry.measured is not None:
        distance = state.distance(entry) + (" (late)" if entry.late else "")
    return [number, entry.question.replace("`", ""), answer, measured, distance]


def _draw_bands(ax: Axes, low: float, high: float) -> None:
    ends = [low, high]
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    if high < 1000 * low:
        # Matplotlib's labels 3 × 10⁻¹ and 4 × 10⁻¹ would overlap.
        for axis in (ax.xaxis, ax.yaxis):
            name_decades(axis)
    for times, shade in ((10, 0.10), (2, 0.22)):
        name = f"within a factor of {times}"
        below, above = [end / times for end in ends], [end * times for end in ends]
        ax.fill_between(ends, below, above, color=style.colour("sequential"), alpha=shade, lw=0)
        ax.plot([], [], color=style.colour("sequential"), alpha=2 * shade, lw=8, label=name)
    ax.plot(ends, ends, color=style.PALETTE["ink"], lw=1.2, label="prediction = result")


def _draw_points(ax: Axes, drawn: Sequence[tuple[int, state.Entry]]) -> None:
    accent, (low, high) = style.PALETTE["accent"], ax.get_xlim()
    points = [(float(entry.answer or 0), float(entry.measured or 0)) for _, entry in drawn]
    span = math.log(high / low)
    shares = [(math.log(x / low) / span, math.log(y / low) / span) for x, y in points]
    for (number, entry), (x, y), place in zip(drawn, points, apart(shares), strict=True):
        label_x, label_y = (low * math.exp(share * span) for share in place)
        face, ink = ("white", accent) if entry.late else (accent, "white")
        ax.plot([x, label_x], [y, label_y], color=accent, lw=1)
        ax.plot([x], [y], "o", ms=4, color=accent)
        # Only the number fits between close points; the question is in the table.
        ax.plot([label_x], [label_y], "o", ms=13, mec=accent, mew=1.6, mfc=face)
        middle: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold"}
        ax.annotate(str(number), (label_x, label_y), color=ink, size=8, **middle)


def apart(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Move labels away from their points until no two are closer than 0.06."""
    least = 0.06
    places = list(points)
    for _ in range(200):
        moved = False
        for a, b in itertools.combinations(range(len(places)), 2):
            (ax, ay), (bx, by) = places[a], places[b]
            distance = math.hypot(bx - ax, by - ay)
            if distance >= least - 1e-9:
                continue
            # Equal points: a different angle for each pair, or three would stay on one line.
            angle = math.atan2(by - ay, bx - ax) if distance else 2.4 * (a + b)
            step = (least - distance) / 2
            dx, dy = step * math.cos(angle), step * math.sin(angle)
            places[a], places[b] = (ax - dx, ay - dy), (bx + dx, by + dy)
            moved = True
        if not moved:
            break
    return places
