"""The verdict at a lab's end, from the ranges in its ``texts.toml``, also for its record."""

from __future__ import annotations

from collections.abc import Mapping

from hpml.base.errors import describe
from hpml.benchmark import Estimate
from hpml.course.lesson.conclusions.verdict import TIMES, Quantity, Verdict
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.reference import (
    read_record,
    recorded_conclusion,
    where_recorded,
)
from hpml.course.lesson.texts import LABS, texts


def quantities(lab: str) -> tuple[Quantity, ...]:
    """Return what a lab's deciding experiment measures, with the predicted ranges.

    >>> [each.name for each in quantities("03")]
    ['ten times as many lists', 'seven times the bytes']
    """
    declared = texts(lab)["explanation"]["predicts"]
    return tuple(
        Quantity(
            name,
            words.get("unit", TIMES),
            {key: (float(ends[0]), float(ends[1])) for key, ends in words.items() if key != "unit"},
        )
        for name, words in declared.items()
    )


def judge(lab: str, measured: Mapping[str, Estimate]) -> Verdict:
    """Return a lab's verdict on measured quantities, by their names."""
    asked = quantities(lab)
    names = [each.name for each in asked]
    if set(names) != set(measured):
        raise LabError(
            object=f"measured quantities of lab {lab}",
            expected=", ".join(names),
            received=describe(list(measured)),
            remedy="Use the names in [explanation.predicts] of the lab's texts.toml.",
        )
    return Verdict(asked, dict(measured))


def recorded_closing(lab: str) -> Verdict | None:
    """Return the verdict on the recorded intervals of a lab; None if it has none."""
    record = read_record(lab)
    if record is None or lab not in LABS or not record.get("closing"):
        return None
    return judge(lab, {name: Estimate(*ends) for name, ends in record["closing"].items()})


def recorded_verdict(lab: str) -> str:
    """Return a sentence with the recorded verdict of a lab, or an empty text."""
    record, verdict = read_record(lab), recorded_closing(lab)
    if record is None or verdict is None:
        return recorded_conclusion(lab)
    return f"{where_recorded(record)}: {verdict.seen}."
