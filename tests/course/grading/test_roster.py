"""Points go to whoever earned them: each row of a roster has at most one submission, its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpml.course.grading.judge import Item
from hpml.course.grading.platforms import roster
from hpml.course.grading.record import Report

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOK = "06_forward_order.ipynb"


def reports(*names: str) -> list[Report]:
    return [Report(name, (Item("06", 1, "double", {"right": 2}),), 7) for name in names]


def given(names: list[str], rows: list[roster.Row]) -> list[str | None]:
    """Return for each row the name of its submission."""
    students = roster.matched(reports(*names), rows)
    assert [each.row for each in students] == rows
    return [each.report.name if each.report else None for each in students]


WEI = "Wei Wang_10022_assignsubmission_file"


def test_of_two_namesakes_the_one_with_the_participants_number_gets_the_points() -> None:
    rows = [
        {"Identifier": "Participant 20001", "Full name": "Wei Wang", "Status": "No submission"},
        {"Identifier": "Participant 10022", "Full name": "Wei Wang", "Status": "Submitted"},
    ]
    assert given([WEI], rows) == [None, WEI]
    assert given([WEI], rows[:1]) == [None]
    students = roster.matched(reports(WEI), rows)
    assert roster.in_words(students) == "1 by Identifier"
    assert roster.namesakes(students) == [f"Wei Wang (2 rows): no submission; {WEI} by Identifier"]


def test_namesakes_without_a_number_get_nothing_and_are_listed() -> None:
    rows = [{"Full name": "Wei Wang"}, {"Full name": "Ada Lovelace"}, {"Full name": "wei wang"}]
    ada = "Ada Lovelace_10021_assignsubmission_file"
    assert given([WEI, ada], rows) == [None, ada, None]
    students = roster.matched(reports(WEI), rows)
    assert roster.namesakes(students) == ["Wei Wang (2 rows): no submission; no submission"]
    assert roster.not_in_roster(reports(WEI), students) == [WEI]


@pytest.mark.parametrize("column", ["ID number", "ID", "Username", "SIS User ID"])
def test_a_participants_number_is_matched_with_nothing_but_the_identifier(column: str) -> None:
    ada = "Ada Lovelace_10021_assignsubmission_file"
    rows = [
        {"Full name": "Bob Stone", column: "10021"},
        {"Full name": "Ada Lovelace", column: "777"},
    ]
    assert given([ada], rows) == [None, ada]


def test_a_number_of_canvas_decides_alone() -> None:
    ada, bob = f"lovelaceada_4711_998_{NOTEBOOK}", f"stonebob_4712_999_{NOTEBOOK}"
    rows = [
        {"Student": "Lovelace, Ada", "ID": "4712"},  # the number is wrong, or the name is
        {"Student": "Stone, Bob", "ID": "99"},
        {"Student": "Lovelace, Ada", "ID": ""},
    ]
    assert given([ada, bob], rows) == [bob, None, ada]


def test_a_submission_serves_two_rows_only_if_the_instructor_says_so() -> None:
    ada = f"lovelaceada_4711_998_{NOTEBOOK}"
    twice = [{"Student": "Lovelace, Ada", "ID": "4711"}, {"Student": "Ada", "ID": "4711"}]
    assert given([ada], twice) == [None, None]
    pair = [{"submission": "pair"}, {"submission": "pair"}, {"submission": "nobody"}]
    assert given(["pair"], pair) == ["pair", "pair", None]
    stronger = [{"submission": ada}, {"Student": "Lovelace, Ada", "ID": "4711"}]
    assert given([ada], stronger) == [ada, None]
    by_number = [{"ID": "4711"}, {"Student": "Lovelace, Ada"}]
    assert given([ada], by_number) == [ada, None]


@pytest.mark.parametrize(
    ("written", "row"),
    [
        ("Zoë Ångström_31_assignsubmission_file", {"Full name": "Zoe\u0308 A\u030angstro\u0308m"}),
        ("王伟_32_assignsubmission_file", {"First name": "王伟", "Last name": ""}),
        ("O'Neil Jean-Luc_33_assignsubmission_file", {"Full name": "O'Neil Jean-Luc"}),
        (f"oneiljeanluc_LATE_3434_998_{NOTEBOOK}", {"Student": "O'Neil, Jean-Luc"}),
        ("Ada Lovelace_35_assignsubmission_file", {"First name": "Ada", "Last name": "Lovelace"}),
    ],
)
def test_a_name_is_matched_as_the_platform_writes_it(written: str, row: roster.Row) -> None:
    assert given([written], [row]) == [written]


def test_lines_of_an_export_that_are_no_students_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(
        "Student,ID,SIS User ID,Section,Lab 06 (99)\n,,,,Manual Posting\n"
        '    Points Possible,,,,9\n"Lovelace, Ada",4711,,A,\n'
    )
    rows = roster.read_roster(path)
    assert [row["ID"] for row in rows] == ["4711"]
    path.write_text("First name,Last name,Email address\nAda,Lovelace,ada@x.org\n")
    assert len(roster.read_roster(path)) == 1


@pytest.mark.parametrize(
    ("damaged", "probably"),
    [("4711.0", "4711"), ("4711,00", "4711"), ("4.716E+03", "4716"), ("4,7E+3", "4700")],
)
def test_a_number_that_a_spreadsheet_rewrote_is_named(damaged: str, probably: str) -> None:
    name = f"lovelaceada_{probably}_998_{NOTEBOOK}"
    students = roster.matched(reports(name), [{"Student": "Lovelace, Ada", "ID": damaged}])
    (line,) = roster.damaged(students)
    assert f"ID {damaged}, probably {probably}" in line
    assert students[0].report is None
    assert roster.damaged(roster.matched([], [{"ID": "4711"}, {"ID": "4.5"}, {"ID": "007"}])) == []
