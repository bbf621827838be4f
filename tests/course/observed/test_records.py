from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hpml.base.errors import describe
from hpml.course.observed import NoRecords
from hpml.course.observed.records import Record, read_class
from tests.course.observed.handed_in import guess, hand_in, lab_00
from tests.parts import raises


def zipped(folder: Path, archive: Path) -> None:
    """Replace a folder by a zip of this path, without its suffix."""
    shutil.make_archive(str(archive), "zip", folder)
    shutil.rmtree(folder)


def test_a_folder_a_zip_and_files_of_a_platform_are_a_student_each(tmp_path: Path) -> None:
    predictions = {"00": {"numpy_sum": guess(10, 20)}}
    hand_in(tmp_path / "ada", {"00": lab_00(1)}, predictions)
    hand_in(tmp_path / "bob" / "hpml-course" / "results", {"00": lab_00(2)})
    zipped(hand_in(tmp_path / "cy", {"00": lab_00(3)}), tmp_path / "cy")
    # A platform hands out all files in one folder, with the student's name before the file's.
    files = hand_in(tmp_path / "di", {"00": lab_00(4)}, predictions)
    for path in files.iterdir():
        path.rename(tmp_path / f"lou_4711_{path.name}")
    files.rmdir()
    found = read_class(tmp_path)
    assert found.notes == ()
    opened = sorted(str(each.progress["00"]["finished"]) for each in found.students)
    assert len(opened) == 4
    assert [bool(each.predictions) for each in found.students].count(True) == 2


def test_a_zip_inside_of_an_upload_is_opened_and_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    zipped(hand_in(tmp_path / "results", {"00": lab_00(1)}), tmp_path / "class/ada/results")
    outside = hand_in(tmp_path / "outside", {"00": lab_00(2)})
    (tmp_path / "class" / "bob").symlink_to(outside)
    (tmp_path / "class" / "ada" / "more").symlink_to(outside)
    found = read_class(tmp_path / "class")
    assert len(found.students) == 1
    assert found.notes == ()


def test_zips_of_one_name_in_folders_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    for pace, name in enumerate(("ada", "bob"), start=1):
        (tmp_path / "class" / name / "results").mkdir(parents=True)
        made = hand_in(tmp_path / name, {"00": lab_00(pace)})
        zipped(made, tmp_path / "class" / name / "results" / "results")
    ends = [each.progress["00"]["finished"] for each in read_class(tmp_path / "class").students]
    assert [end[11:16] for end in ends] == ["09:10", "09:20"]


def test_a_damaged_file_is_listed_and_the_others_count(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada", {"00": lab_00(1)})
    hand_in(tmp_path / "bob", {"00": lab_00(2)})
    (tmp_path / "bob" / "predictions.json").write_text("{", encoding="utf-8")
    for name, text in {
        "cy": "not JSON",
        "di": '{"version": 7, "labs": {}}',
        "ed": '{"version": 1, "labs": {"00": 5}}',
    }.items():
        hand_in(tmp_path / name, None)
        (tmp_path / name / "progress.json").write_text(text, encoding="utf-8")
    strange = '{"version": 1, "labs": {"00": {"a": {"choices": 5, "answer": 1}}}}'
    hand_in(tmp_path / "fay", None)
    (tmp_path / "fay" / "predictions.json").write_text(strange, encoding="utf-8")
    (tmp_path / "gus.zip").write_bytes(b"no zip")
    found = read_class(tmp_path)
    assert len(found.students) == 2
    assert [note.partition(":")[0] for note in found.notes] == [
        "bob",
        "cy",
        "di",
        "ed",
        "fay",
        "gus.zip",
    ]


def test_uploads_without_a_record_are_counted_in_one_line(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada", {"00": lab_00(1)})
    for name in ("bob", "cy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "00_start_here.ipynb").write_text("{}", encoding="utf-8")
    zipped(tmp_path / "cy", tmp_path / "cy")
    (tmp_path / "roster.csv").write_text("a,b\n", encoding="utf-8")
    assert read_class(tmp_path).notes == (
        "2 other uploads have neither progress.json nor predictions.json.",
    )


def test_of_two_uploads_of_a_student_that_with_the_latest_step_counts(tmp_path: Path) -> None:
    for name, pace in {
        "lovelaceada_4711_998_results": 1,
        "lovelaceada_4711_1002_results-1": 3,
        "hoppergrace_4712_999_results": 2,
    }.items():
        zipped(hand_in(tmp_path / name, {"00": lab_00(pace)}), tmp_path / name)
    found = read_class(tmp_path)
    assert [each.progress["00"]["finished"][11:16] for each in found.students] == ["09:20", "09:30"]
    (note,) = found.notes
    assert note.startswith("lovelaceada_4711_998_results")
    assert "latest step" in note


def test_two_files_of_one_student_in_two_folders_are_one_record(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada" / "first", {"00": lab_00(1)})
    hand_in(tmp_path / "ada" / "second", None, {"00": {"numpy_sum": guess(10, 20)}})
    (record,) = read_class(tmp_path).students
    assert record.progress
    assert record.predictions


def test_one_record_under_two_names_counts_once(tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        hand_in(tmp_path / name, {"00": lab_00(1)})
    found = read_class(tmp_path)
    assert len(found.students) == 1
    assert found.notes == ("bob: the same record as that of ada; it counts once.",)


def test_without_a_record_it_says_what_to_ask_for(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "00_start_here.ipynb").write_text("{}", encoding="utf-8")
    with raises(
        NoRecords,
        object=describe(str(tmp_path), limit=300),
        expected="progress.json or predictions.json",
        received="none",
        remedy="results",
    ):
        read_class(tmp_path)
    hand_in(tmp_path / "bob", {})
    with pytest.raises(NoRecords):
        read_class(tmp_path)
    with raises(NoRecords, object="--class", expected="a folder", received="nowhere"):
        read_class(tmp_path / "nowhere")


def test_a_record_has_no_name() -> None:
    assert set(Record.__dataclass_fields__) == {"progress", "predictions"}
