"""The term of CALENDAR.md has all labs, what they need first, their own minutes, and 100 %."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from hpml.course.labs.catalogue import LABS
from hpml.course.lesson.execute import find_lab
from hpml.course.release.reading import length_of

ROOT = Path(__file__).resolve().parents[2]
CALENDAR = (ROOT / "CALENDAR.md").read_text(encoding="utf-8")


class Week(NamedTuple):
    """A row of the table."""

    number: int
    labs: tuple[str, ...]
    core: str
    further: str
    due: int
    weight: int


def _weeks() -> list[Week]:
    found = []
    for row in re.findall(r"^\| *\d+ *\|.*$", CALENDAR, re.MULTILINE):
        number, labs, _, core, further, due, weight = (c.strip() for c in row.strip("|").split("|"))
        percent = int(weight.removesuffix(" %"))
        names = tuple(filter(None, labs.split(", ")))
        found.append(Week(int(number), names, core, further, int(due), percent))
    return found


WEEKS = _weeks()
TAUGHT = [week for week in WEEKS if week.labs]


def test_each_lab_is_in_one_of_thirteen_weeks() -> None:
    assert [week.number for week in TAUGHT] == list(range(1, 14))
    assert sorted(lab for week in TAUGHT for lab in week.labs) == sorted(LABS)


def test_what_a_lab_needs_comes_before_it() -> None:
    order = [lab for week in TAUGHT for lab in week.labs]
    needed = {}
    for lab in order:
        head = nbformat.read(find_lab(lab), as_version=4).cells[0].source
        (needs,) = re.findall(r"\*\*You need\*\*: (.*?)\*\*Source\*\*", head)
        needed[lab] = set(re.findall(r"\b\d\d\b", needs))
    assert needed["15"] >= {"03", "09", "10"}
    late = {lab: need - set(order[: order.index(lab)]) for lab, need in needed.items()}
    assert {lab: need for lab, need in late.items() if need} == {}


@pytest.mark.parametrize("week", TAUGHT, ids=lambda week: f"week {week.number}")
def test_the_minutes_of_a_week_are_those_in_the_heads_of_its_labs(week: Week) -> None:
    minutes = [length_of(nbformat.read(find_lab(lab), as_version=4)).minutes for lab in week.labs]
    core, further = (sum(part) for part in zip(*minutes, strict=True))
    assert (week.core, week.further) == (str(core), str(further))


def test_the_weights_are_those_of_the_text_and_add_up_to_all() -> None:
    assert sum(week.weight for week in WEEKS) == 100
    for week in TAUGHT[:-1]:
        assert week.weight == 4 * len(set(week.labs) - {"00"})


def test_a_lab_is_due_after_its_week_and_no_two_weeks_are_due_together() -> None:
    assert all(week.due > week.number for week in TAUGHT)
    due = [week.due for week in WEEKS]
    assert due == sorted(set(due))


def test_the_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)#?([^)]*)\)", CALENDAR)
    assert links
    for file, place in links:
        text = (ROOT / file).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        assert not place or place in {each.lower().replace(" ", "-") for each in headings}
    assert "(CALENDAR.md)" in (ROOT / "INSTRUCTORS.md").read_text(encoding="utf-8")
