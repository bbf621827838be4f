from __future__ import annotations

from pathlib import Path

import pytest

from hpml.course.release.folder import ReleaseError, write_folder
from tests.parts import raises

FIRST = {"README.md": b"one\n", "notebooks/00.ipynb": b"{}\n", "old.py": b"\n"}
SECOND = {"README.md": b"two\n", "notebooks/00.ipynb": b"{}\n"}


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_an_earlier_one_is_replaced_whole_and_its_git_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(out, FIRST, "copy")
    (out / ".git").mkdir()
    (out / ".git" / "HEAD").write_text("ref")
    write_folder(out, SECOND, "copy")
    assert names(out) == {"README.md", "notebooks/00.ipynb", ".hpml-files.json", ".git/HEAD"}
    assert (out / "README.md").read_bytes() == b"two\n"
    assert list(tmp_path.iterdir()) == [out]


def test_what_who_tried_it_left_there_stays_or_goes_and_is_no_hindrance(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(out, FIRST, "copy")
    for name in (".venv/bin/python", "results/00.json", "__pycache__/a.pyc"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).touch()
    write_folder(out, SECOND, "copy")
    assert names(out) == {*SECOND, ".hpml-files.json", ".venv/bin/python", "results/00.json"}


@pytest.mark.parametrize("name", ["README.md", "notes.txt", "notebooks/mine.ipynb"])
def test_what_somebody_changed_or_added_is_refused_and_kept(tmp_path: Path, name: str) -> None:
    write_folder(tmp_path / "out", FIRST, "copy")
    (tmp_path / "out" / name).write_text("my work")
    with raises(ReleaseError, object=str(tmp_path / "out"), received=name, remedy="empty folder"):
        write_folder(tmp_path / "out", SECOND, "copy")
    assert (tmp_path / "out" / name).read_text() == "my work"
    assert (tmp_path / "out" / "old.py").exists()


def test_another_kind_or_a_file_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", FIRST, "book")
    with raises(ReleaseError, object=str(tmp_path / "out"), expected="copy", received="old.py"):
        write_folder(tmp_path / "out", SECOND, "copy")
    (tmp_path / "file").touch()
    with raises(ReleaseError, object=str(tmp_path / "file"), received="a file"):
        write_folder(tmp_path / "file", SECOND, "copy")


def test_a_write_that_fails_leaves_the_earlier_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(out, FIRST, "copy")
    (out / ".git").mkdir()
    with pytest.raises(OSError, match="README"):
        write_folder(out, {**SECOND, "README.md/in_a_file": b""}, "copy")
    assert (out / "README.md").read_bytes() == b"one\n"
    assert (out / ".git").exists()
    assert list(tmp_path.iterdir()) == [out]
