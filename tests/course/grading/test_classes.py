from __future__ import annotations

import os
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from hpml.base.errors import describe
from hpml.course.grading import GradingError, classes, find, grader, record, tables
from hpml.course.grading.classes import Graded, grade_class
from hpml.course.grading.find import find_class
from hpml.course.grading.judge import Item
from hpml.course.grading.platforms import roster
from hpml.course.grading.record import Report, overridden
from hpml.course.grading.report import as_table, write_feedback_zip
from tests.course.grading import small_catalogue
from tests.course.grading.handed_in import CATALOGUE, DOUBLE, LAB, LIMITS, RIGHT, hand_in, notebook
from tests.parts import raises


@pytest.fixture
def group(tmp_path: Path) -> Path:
    folder = tmp_path / "class"
    hand_in(folder / "ada", *RIGHT)
    hand_in(folder / "bob", DOUBLE)
    (folder / "cy").mkdir()
    (folder / "notes.txt").touch()
    (folder / ".hidden").mkdir()
    return folder


def _grade(folder: Path, **options: object) -> list[Graded]:
    known: dict[str, Any] = {"limits": LIMITS, "catalogue": CATALOGUE, **options}
    return grade_class(folder, folder.parent / "reports", **known).graded


def test_each_folder_and_notebook_is_a_member(group: Path) -> None:
    (group / "di.ipynb").touch()
    (group / "eve").symlink_to(group / "ada")
    found, left_out = find_class(group, lab="06", catalogue=CATALOGUE)
    assert [each.name for each in found] == ["ada", "bob", "cy", "di.ipynb", "eve"]
    assert {each.labs for each in found} == {("06",)}
    assert left_out == ["notes.txt"]
    only = group.parent / "only"
    (only / "cy").mkdir(parents=True)
    with raises(GradingError, object=describe(str(only), 300), received="none", remedy="--lab"):
        find_class(only, catalogue=CATALOGUE)


def test_a_notebook_that_names_no_lab_stops_no_class_of_several(
    group: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_catalogue, "LABS", ("05", "06"))
    for name in ("di.ipynb", "05_x.ipynb", f"Copy of {LAB}"):
        (group / name).touch()
    found = {each.name: each.notebooks for each in find_class(group, catalogue=CATALOGUE)[0]}
    assert found["di.ipynb"]["06"] == (group / "di.ipynb" / LAB,)  # which is missing
    assert found["05_x.ipynb"]["06"] == (group / "05_x.ipynb" / LAB,)
    assert found[f"Copy of {LAB}"]["06"] == (group / f"Copy of {LAB}",)


def test_notebooks_of_other_labs_are_left_out(group: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_catalogue, "LABS", ("05", "06"))
    other, own = f"lovelaceada_LATE_4711_998_{LAB}", "lovelaceada_4711_998_05_x.ipynb"
    for name in (other, own):
        (group / name).touch()
    monkeypatch.setattr(find, "_file_name", {"05": "05_x.ipynb", "06": LAB}.__getitem__)
    submissions, left_out = find_class(group, lab="05", catalogue=CATALOGUE)
    found = {each.name: each.notebooks for each in submissions}
    assert found[own]["05"] == (group / own,)
    assert other not in found
    assert left_out == [other, "notes.txt"]


@pytest.mark.needs("bubblewrap")
def test_a_folder_and_a_notebook_of_one_name_and_what_a_mac_adds(group: Path) -> None:
    (group / "__MACOSX").mkdir()
    (group / "cy" / "work.zip").touch()
    (group / "ada.ipynb").touch()
    graded = {each.report.name: each.report for each in _grade(group)}
    assert list(graded) == ["ada", "ada.ipynb", "bob", "cy"]
    told = f"The notebook {LAB} is missing; found work.zip."
    assert f"cy: 06 missing: {told}" in tables.look_at(list(graded.values()))
    assert told in (group.parent / "reports" / "cy.06.html").read_text()


def test_a_name_in_another_encoding_spoils_neither_table_nor_csv(tmp_path: Path) -> None:
    name = os.fsdecode(b"M\xfcller\x1b[2J")
    reports = [Report(name, (Item("06", 1, "double", {"right": 2}),), 7)]
    for text in (
        str(tables.class_table(reports)),
        tables.as_csv(reports),
        str(as_table(reports[0])),
    ):
        assert "M\\udcfcller\\x1b[2J" in text
        assert text.encode("utf-8").isascii()


@pytest.mark.needs("bubblewrap")
def test_a_class_is_graded_with_new_seeds_and_a_report_and_a_page_each(group: Path) -> None:
    (group / "eve").symlink_to(group / "ada")
    told: list[tuple[int, int]] = []
    graded = _grade(group, jobs=2, progress=lambda done, total: told.append((done, total)))
    points = {each.report.name: each.report.earned for each in graded}
    assert points == {"ada": 6.0, "bob": 2.0, "cy": 0.0, "eve": 0.0}
    assert all("cannot be read" in item.text for item in graded[3].report.items)
    assert len({each.report.seed for each in graded}) == 4
    assert all(each.again for each in graded)
    assert told == [(done, 4) for done in range(5)]
    reports = group.parent / "reports"
    names = [f"{name}.06.html" for name in ("ada", "bob", "cy", "eve")]
    assert sorted(path.name for path in reports.iterdir()) == [".records", *names]
    assert "bob: 2 of 6 points" in (reports / "bob.06.html").read_text()
    # What a student is given does not tell the seed; the instructor's record does.
    for each in graded:
        assert str(each.report.seed) not in (reports / f"{each.report.name}.06.html").read_text()
        record = (reports / ".records" / f"{each.report.name}.06.json").read_text()
        assert str(each.report.seed) in record


@pytest.mark.needs("bubblewrap")
def test_an_interrupted_class_goes_on_where_it_was(group: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _grade(group, jobs=1, progress=stop)
    graded = _grade(group, jobs=1)
    assert [each.again for each in graded] == [False, True, True]


@pytest.mark.needs("bubblewrap")
def test_what_is_handed_in_again_is_graded_again(group: Path) -> None:
    _grade(group)
    (group / "bob" / LAB).write_text(notebook(*RIGHT), encoding="utf-8")
    graded = _grade(group)
    assert [each.again for each in graded] == [False, True, False]
    assert graded[1].report.earned == 6.0


@pytest.mark.needs("bubblewrap")
def test_another_seed_grader_or_version_of_an_exercise_is_graded_again(
    group: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _grade(group, seed=1)
    assert not any(each.again for each in _grade(group, seed=1))
    assert all(each.again for each in _grade(group, seed=2))
    monkeypatch.setattr(record, "GRADER", "a later one")
    assert all(each.again for each in _grade(group, seed=2))
    monkeypatch.setattr(record, "_version", lambda exercise: "a later one")
    assert all(each.again for each in _grade(group, seed=2))


@pytest.mark.needs("bubblewrap")
def test_a_record_that_was_changed_or_is_anothers_is_said_so_and_graded_again(group: Path) -> None:
    _grade(group)
    records = group.parent / "reports" / ".records"
    forged = (records / "bob.06.json").read_text().replace("wrong", "right")
    (records / "bob.06.json").write_text(forged.replace("2.0", "3.0"))
    (group / "cy" / LAB).write_text((group / "ada" / LAB).read_text())  # the same notebook, too
    (records / "cy.06.json").write_text((records / "ada.06.json").read_text())
    (records / "ada.06.json").write_text('{"body": []}')
    graded = _grade(group)
    assert [each.forged for each in graded] == [True, True, True]
    assert [each.again for each in graded] == [True, True, True]
    assert graded[1].report.earned == 2.0
    assert not any(each.forged or each.again for each in _grade(group))


@pytest.mark.needs("bubblewrap")
def test_a_resubmission_rewrites_no_report_of_a_classmate(group: Path) -> None:
    _grade(group)
    reports = group.parent / "reports"
    before = {path: path.read_bytes() for path in reports.rglob("[ack]*.*") if path.is_file()}
    attack = f"""
import os, pathlib
def double(n):
    for folder, _, names in os.walk({str(reports)!r}):
        for name in names:
            pathlib.Path(folder, name).write_text("mine")
    pathlib.Path({str(reports / "ada.06.html")!r}).write_text("mine")
    return 2 * n"""
    (group / "bob" / LAB).write_text(notebook(attack), encoding="utf-8")
    graded = _grade(group)
    assert [each.again for each in graded] == [False, True, False]
    assert not any(each.forged for each in graded)
    assert "No such file" in graded[1].report["double"].text
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.needs("bubblewrap")
def test_a_class_goes_on_where_the_grader_fails_and_tries_that_one_again(
    group: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (group / ("a" * 255)).mkdir()  # as long as a name can be
    with monkeypatch.context() as patched:
        patched.setattr(grader, "judged", lambda *_: [].pop())
        patched.setattr(grader, "judged_choice", lambda *_: [].pop())
        items = _grade(group, jobs=1)[1].report.items
    assert [item.status for item in items] == ["not graded"] * 3
    assert "The grader failed, IndexError" in items[0].text
    # Where there is no notebook, nothing was judged.
    assert [each.again for each in _grade(group)] == [False, True, True, False]
    received = describe(str(group / "reports"), 300)
    with raises(GradingError, object="--reports", expected="outside", received=received):
        grade_class(group, group / "reports", catalogue=CATALOGUE)


@pytest.mark.needs("bubblewrap")
def test_a_job_that_was_killed_is_said_with_what_to_do(group: Path) -> None:
    catalogue = ModuleType("no_such_module")  # a job ends where it cannot import it
    vars(catalogue).update(vars(small_catalogue), __name__="no_such_module")
    with raises(GradingError, object="a grading process", received="end", remedy="--jobs"):
        _grade(group, jobs=2, catalogue=catalogue)


def test_a_job_that_is_ended_does_not_wait_for_what_it_interrupts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock, ended = threading.Lock(), threading.Event()
    closes = SimpleNamespace(close=lambda: lock.acquire())
    monkeypatch.setattr(classes, "_grader", closes)
    monkeypatch.setattr(classes.os, "_exit", lambda code: ended.set())
    with lock:
        classes._end()  # as the handler of a signal, in the thread that holds the lock
    assert ended.wait(30)


@pytest.mark.needs("bubblewrap")
def test_only_some_are_graded_once_more_and_the_others_are_as_they_were(group: Path) -> None:
    expected = describe(str(group), 300)
    with raises(GradingError, object="--only", expected=expected, received="'dan'"):
        _grade(group, only=["dan"])
    assert [each.report.name for each in _grade(group, only=["ada"])] == ["ada"]
    _grade(group)
    (group / "bob" / LAB).write_text(notebook(*RIGHT), encoding="utf-8")
    graded = _grade(group, only=["ada"])
    assert [each.again for each in graded] == [True, False, False]
    assert graded[1].report.earned == 2.0


@pytest.mark.needs("bubblewrap")
def test_points_that_an_instructor_gave_survive_grading_again(group: Path) -> None:
    given = group.parent / "given.csv"
    given.write_text("student,exercise,points,comment\nbob,06.2,3,I saw it work\ncy,6.1,1,\n")
    graded = _grade(group, overrides=given)
    assert [each.report.earned for each in graded] == [6.0, 5.0, 1.0]
    assert (group.parent / "reports" / "bob.06.html").read_text().count("I saw it work") == 1
    (group / "bob" / LAB).write_text(notebook(DOUBLE, "explanation = 2"), encoding="utf-8")
    graded = _grade(group)
    assert [each.report.earned for each in graded] == [6.0, 6.0, 1.0]
    given.write_text("student;exercise;points;comment\ncy;06.2;0,5;\n;;;\n", encoding="utf-8-sig")
    assert [each.report.earned for each in _grade(group, overrides=given)] == [6.0, 3.0, 0.5]
    line_2 = f"{describe(str(given), 300)}, line 2"
    for wrong, name, received in [
        ("bob,06.2,30,", "--override", "bob, 06.2, 30"),
        ("zoe,06.1,1,", "--override", "zoe, 06.1, 1"),
        ("bob,06.1,many,", line_2, "'many'"),
        ("bob,06.1,nan,", line_2, "'nan'"),
    ]:
        given.write_text(f"student,exercise,points,comment\n{wrong}\n")
        with raises(GradingError, object=name, received=received, remedy="row"):
            _grade(group, overrides=given)


DONE = Item("06", 1, "double", {"right": 2}, status="right", parts={"right": 2.0})
ADA = Report(
    "ada",
    (
        DONE,
        Item(
            "06",
            2,
            "total",
            {"right": 2, "empty": 1},
            status="partly right",
            parts={"right": 0.5},
            mistake="forgets",
            note="see cell 3",
        ),
    ),
    7,
)
EVE = Report(
    "=1+1", (DONE, Item("06", 2, "total", {"right": 2, "empty": 1}, status="forbidden")), 8
)


def test_the_table_and_the_csv_hold_each_exercise() -> None:
    assert tables.class_table([ADA, EVE]).column("points") == (2.5, 2.0, 5)
    assert tables.as_csv([ADA, EVE]).splitlines() == [
        "submission,06.1 double,06.1 double: status,06.2 total,06.2 total: status,"
        "06.2 total: parts,points,of,bonus,seed",
        "ada,2,right,0.5,partly right: forgets,right 0.5 of 2; empty 0 of 1,2.5,5,0,7",
        "'=1+1,2,right,0,forbidden,right 0 of 2; empty 0 of 1,2,5,0,8",
    ]
    assert tables.class_table([ADA, EVE]).column("06.2")[:2] == ("0.5 = 0.5 + 0", "0 = 0 + 0")


def test_what_goes_further_than_the_core_comes_on_top_of_full_marks() -> None:
    two = {"right": 2.0}
    further = Item("06", 2, "more", two, core=False, status="right", parts=two)
    report = Report("ada", (ADA.items[0], further), 7)
    assert report.total == "2 of 2 points and 2 bonus points"
    assert "2 of 2 bonus" in str(as_table(report))
    table = tables.class_table([report])
    assert (table.column("points"), table.column("bonus")) == ((2.0, 2), (2.0, ""))
    assert tables.statistics([report]).column("mean points") == ("2.00 of 2", "2.00 of 2")
    given = overridden(report, {("ada", "06.2"): (1, "")})["more"]
    assert (given.status, given.out_of) == ("partly right", "1 of 2 bonus")


def test_statistics_name_mistakes_and_lists_say_whom_to_look_at() -> None:
    found = tables.statistics([ADA, EVE])
    assert (found.column("wrong answers"), found.column("right")) == (("", "forgets 1"), (2, 0))
    gone = [each.without_points("missing", "The notebook x is missing.") for each in ADA.items]
    assert tables.look_at([ADA, EVE, Report("a\nb", tuple(gone), 9)]) == [
        "ada: 06.2: see cell 3",
        "=1+1: 06.2 forbidden",
        "a\\nb: 06 missing: The notebook x is missing.; 06.2: see cell 3",
    ]


@pytest.mark.parametrize(
    ("between", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-8")]
)
def test_a_roster_as_spreadsheets_save_it(tmp_path: Path, between: str, encoding: str) -> None:
    """Canvas's export has a line of points; a Mac writes an ö as an o and two dots."""
    path = tmp_path / "roster.csv"
    lines = ["submission|Student|ID", "|    Points Possible|", "Zo\u0308e|Zoe|18", "||"]
    path.write_text("\n".join(lines).replace("|", between) + "\n", encoding=encoding)
    zoe = Report("Z\u00f6e.ipynb", ADA.items, 7)
    students = roster.matched([zoe], roster.read_roster(path))
    assert tables.for_canvas([zoe], students).splitlines()[1:] == [
        "    Points Possible,,,,,5",
        "Zoe,18,,,,2.5",
    ]
    assert roster.not_in_roster([zoe], students) == roster.without_submission(students) == []
    path.write_bytes("submission\nZöe\n".encode("cp1252"))
    with raises(GradingError, object=describe(str(path), 300), expected="UTF-8", received="utf-8"):
        roster.read_roster(path)


def test_full_points_from_the_instructor_replace_what_the_grader_said() -> None:
    total = replace(ADA.items[1], text="not right yet")
    given = {("ada", "06.2"): (3, "close enough")}
    report = overridden(Report("ada", (DONE, total), 7), given)
    assert (report["total"].status, report["total"].text) == ("right", "close enough")
    assert tables.as_csv([report]).splitlines()[1] == "ada,2,right,3,right,5,5,0,7"
    rows = tables.as_csv([EVE, report]).splitlines()
    assert rows[2] == "ada,2,right,3,right,,5,5,0,7"
    found = tables.statistics([report])
    assert (found.column("right"), found.column("wrong answers")) == ((1, 1), ("", ""))


def test_who_left_out_what_goes_further_is_not_to_be_looked_at() -> None:
    further = Item("06", 3, "more", {"right": 2}, core=False, status="not done")
    assert tables.look_at([Report("di", (ADA.items[0], further), 7)]) == []


def test_the_files_of_canvas_and_moodle_name_students_from_a_roster(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(
        'submission,Student,ID,Email address\nada,"Lovelace, Ada",17,ada@x.org\n'
        "zoe,Zoe,18,z@x.org\n"
    )
    students = roster.matched([ADA, EVE], roster.read_roster(path))
    assert tables.for_canvas([ADA, EVE], students).splitlines() == [
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 06",
        "    Points Possible,,,,,5",
        '"Lovelace, Ada",17,,,,2.5',
        "Zoe,18,,,,",
    ]
    assert tables.for_moodle(students).splitlines() == [
        "Email address,Grade,Feedback",
        "ada@x.org,2.5,06.1 double: right; 06.2 total: partly right",
        "z@x.org,,",
    ]
    assert roster.not_in_roster([ADA, EVE], students) == ["=1+1"]
    assert roster.without_submission(students) == ["zoe, Zoe, 18, z@x.org"]
    path.write_text("submission,Name\nada,Ada\n")
    students = roster.matched([ADA], roster.read_roster(path))
    with raises(GradingError, object="--roster", expected="Canvas", received="none"):
        tables.for_canvas([ADA], students)
    with raises(GradingError, object="--roster", expected="Moodle", received="none"):
        tables.for_moodle(students)
    path.write_text("name\nada\n")
    name = describe(str(path), 300)
    with raises(GradingError, object=name, expected="submission", received="['name']"):
        roster.read_roster(path)


def test_the_names_that_platforms_make_are_matched_by_id_or_name() -> None:
    names = [
        f"lovelaceada_LATE_4711_998_{LAB}", f"hopper_4712_999_{LAB}",
        "Lou Reed_12345_assignsubmission_file", "Kim_1_x_20", "Kim Lee_12346_assignsubmission_file",
        "Kim Lee_12347_assignsubmission_file", "stranger",
    ]  # fmt: skip
    reports = [Report(name, ADA.items, 7) for name in names]
    rows = [
        {"Student": "Lovelace, Ada", "ID": "4711"},
        {"Full name": "Lou Reed", "Email address": "lou@x.org"},
        {"Full name": "Kim Lee", "Identifier": "Participant 12347"},
        {"First name": "Kim", "Last name": "Lee"},
        {"submission": "stranger"},
        {"Student": "Nobody", "ID": "99"},
    ]
    students = roster.matched(reports, rows)
    found = [each.report and names.index(each.report.name) for each in students]
    assert found == [0, 2, 5, None, 6, None]
    assert roster.not_in_roster(reports, students) == [names[1], names[3], names[4]]


def test_uploads_of_one_student_are_one_submission_in_their_order(tmp_path: Path) -> None:
    names = [
        f"hopper_4712_1002_{LAB}",
        f"lovelaceada_4711_999_{LAB}",
        f"lovelaceada_LATE_4711_1001_{LAB}",
        "Lou Reed_12345_assignsubmission_file",
        "Lou Reed_12345_assignsubmission_onlinetext",
        f"lab_06_2001_{LAB}",
        f"lab_06_2002_{LAB}",
    ]
    for name in names:
        if name.startswith("Lou"):
            hand_in(tmp_path / name, DOUBLE)
        else:
            (tmp_path / name).write_text(notebook(DOUBLE))
    found, _ = find_class(tmp_path, catalogue=CATALOGUE)
    uploads = sorted([names.index(path.name) for path in each.uploads] for each in found)
    assert uploads == [[0], [1, 2], [3, 4], [5], [6]]
    ada = next(each for each in found if each.name == names[1])
    assert ada.notebooks["06"] == (tmp_path / names[1], tmp_path / names[2])


@pytest.mark.needs("bubblewrap")
def test_an_upload_to_canvas_that_is_no_notebook_has_no_points_and_the_reason(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "notes.pdf").touch()
    upload = "hopper_4712_1001_06_forward_order.zip"
    (folder / upload).write_bytes(b"PK")
    (folder / "lovelaceada_4711_999_06_report.pdf").touch()
    (folder / f"lovelaceada_4711_998_{LAB}").write_text(notebook(*RIGHT))
    reports = [each.report for each in _grade(folder, lab="06")]
    assert [(each.name, each.earned) for each in reports] == [
        (upload, 0.0),
        (f"lovelaceada_4711_998_{LAB}", 6.0),
    ]
    assert reports[0].items[0].status == "missing"
    students = roster.matched(reports, [{"Student": "Hopper", "ID": "4712"}])
    assert tables.for_canvas(reports, students).splitlines()[-1] == "Hopper,4712,,,,0"
    write_feedback_zip(reports, tmp_path / "feedback.zip")
    with zipfile.ZipFile(tmp_path / "feedback.zip") as archive:
        assert f"{upload[:-4]}.html" in archive.namelist()


def test_names_that_only_look_like_canvas_are_students_of_their_own(tmp_path: Path) -> None:
    for name in ("exam_2026_1234_ada.ipynb", "exam_2026_1235_bob.ipynb"):
        (tmp_path / name).touch()
    found, _ = find_class(tmp_path, lab="06", catalogue=CATALOGUE)
    assert [len(each.uploads) for each in found] == [1, 1]


@pytest.mark.needs("bubblewrap")
def test_several_uploads_are_one_try_at_the_explanation(tmp_path: Path) -> None:
    """The first choice of the earliest upload counts, and for an exercise the better upload."""
    folder = tmp_path / "class"
    folder.mkdir()
    choices = ["explanation = None", "explanation = 1", "explanation = 2"]
    for number, choice in enumerate(choices, start=998):
        cells = [DOUBLE, choice] if number == 1000 else [choice]
        (folder / f"lovelaceada_4711_{number}_{LAB}").write_text(notebook(*cells))
    (folder / f"hopper_4712_1001_{LAB}").write_text(notebook(*RIGHT))
    graded = _grade(folder)
    assert [each.report.earned for each in graded] == [6.0, 2.0]
    ada = graded[1].report
    assert [item.status for item in ada.items] == ["right", "missing", "wrong"]
    assert f"lovelaceada_4711_999_{LAB} counts" in ada["explanation"].text
    (folder / f"lovelaceada_4711_999_{LAB}").write_text(notebook("explanation = 2"))
    assert [each.again for each in _grade(folder)] == [False, True]
    again = _grade(folder, only=[f"lovelaceada_4711_1000_{LAB}"])
    assert [each.again for each in again] == [False, True]


def test_feedback_is_a_page_of_html_under_the_name_that_was_downloaded(tmp_path: Path) -> None:
    wrong = ADA.items[0].without_points("wrong", "<b> & [1]")
    reports = [Report("ada", (wrong,), 7), Report(f"eve_17_{LAB}", ADA.items, 8)]
    write_feedback_zip(reports, tmp_path / "feedback.zip")
    with zipfile.ZipFile(tmp_path / "feedback.zip") as archive:
        assert archive.namelist() == ["ada/feedback.html", f"eve_17_{LAB[:-6]}.html"]
        page = archive.read("ada/feedback.html").decode()
    assert "&lt;b&gt; &amp; [1]" in page
    assert "<b>" not in page
