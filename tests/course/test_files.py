from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from hpml.course import files
from hpml.course.files import CourseFileError, course_folder, data_file, published, results_folder
from tests.parts import raises


@pytest.fixture
def course(tmp_path: Path) -> Path:
    home = tmp_path / "course"
    (home / "notebooks").mkdir(parents=True)
    (home / "data").mkdir()
    shutil.copy(data_file("published_results.json"), home / "data")
    return home


def test_hpml_home_that_is_no_course_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_HOME", str(tmp_path))
    with raises(CourseFileError, object="HPML_HOME", received=str(tmp_path), remedy="unset"):
        course_folder()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Pretend that the package is installed without a clone; return where its own course is."""
    packaged = tmp_path / "lib" / "hpml" / "_course"
    monkeypatch.setattr(files, "_CLONE", tmp_path / "lib")
    monkeypatch.setattr(files, "PACKAGED", packaged)
    monkeypatch.delenv("HPML_HOME", raising=False)
    return packaged


def test_an_installed_package_has_the_course_and_results_go_to_the_working_directory(
    course: Path, installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed.parent.mkdir(parents=True)
    course.rename(installed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HPML_RESULTS")
    assert course_folder() == installed
    assert results_folder() == tmp_path / "results"


def test_a_course_that_is_nowhere_is_named_with_the_places_that_were_searched(
    installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    places = (str(installed), f"above {tmp_path}")
    with raises(CourseFileError, object="course folder", expected=places, remedy="HPML_HOME"):
        course_folder()


def test_a_file_that_was_deleted_is_named(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPML_HOME", str(course))
    path = str(course.resolve() / "data" / "gone.csv")
    with raises(CourseFileError, object=path, received="none", remedy="git checkout"):
        data_file("gone.csv")


def test_results_lie_in_the_course_unless_told_otherwise(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_HOME", str(course))
    monkeypatch.delenv("HPML_RESULTS")
    assert results_folder() == course.resolve() / "results"
    monkeypatch.setenv("HPML_RESULTS", str(course / "elsewhere"))
    assert results_folder() == course.resolve() / "elsewhere"
    assert results_folder().is_dir()


def test_where_the_course_cannot_be_written_results_lie_with_the_users_data(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_HOME", str(course))
    monkeypatch.delenv("HPML_RESULTS")
    monkeypatch.setattr(files, "user_folder", lambda: tmp_path / "data" / "hpml")
    # Not by modes: root may write everywhere.
    allowed = os.access
    monkeypatch.setattr(
        files.os, "access", lambda path, mode: path != course.resolve() and allowed(path, mode)
    )
    assert results_folder() == tmp_path / "data" / "hpml"
    assert results_folder().is_dir()
    assert not (course / "results").exists()


@pytest.mark.parametrize("obstacle", ["cannot be made", "read-only"])
@pytest.mark.parametrize("chosen", [False, True])
def test_where_nothing_can_be_written_the_variable_that_helps_is_named(
    chosen: bool, obstacle: str, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_HOME", str(course))
    folder = tmp_path / "home" / "results"
    if obstacle == "cannot be made":
        (tmp_path / "home").touch()
    else:
        folder.mkdir(parents=True)
    if chosen:
        monkeypatch.setenv("HPML_RESULTS", str(folder))
    else:
        monkeypatch.delenv("HPML_RESULTS")
        monkeypatch.setattr(files, "user_folder", lambda: folder)
    monkeypatch.setattr(files.os, "access", lambda path, mode: False)
    name = "HPML_RESULTS" if chosen else "folder of results"
    with raises(CourseFileError, object=name, received=str(folder)[:30], remedy="HPML_RESULTS"):
        results_folder()


def test_every_published_block_names_its_source() -> None:
    blocks = json.loads(data_file("published_results.json").read_text(encoding="utf-8"))
    assert [name for name in blocks if name != "_about" and "source" not in published(name)] == []


def test_a_chosen_folder_of_results_needs_no_course(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "mine"))
    assert results_folder() == (tmp_path / "mine").resolve()
