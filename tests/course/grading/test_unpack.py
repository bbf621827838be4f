"""Zipped submissions and whole copies of the course, and zips that should do harm."""

from __future__ import annotations

import shutil
import stat
import zipfile
from typing import TYPE_CHECKING

import pytest

from hpml.course.grading import unpack as unpacking
from hpml.course.grading.find import find, find_class
from hpml.course.grading.unpack import is_zip, unpack
from tests.course.grading.handed_in import CATALOGUE, DOUBLE, LAB, RIGHT, grade, hand_in, notebook

if TYPE_CHECKING:
    from pathlib import Path


def wanted(name: str) -> bool:
    return name.endswith((".ipynb", ".py"))


def make_zip(path: Path, files: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def below(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_class_of_zips(tmp_path: Path) -> None:
    folder, place = tmp_path / "class", tmp_path / "unpacked"
    make_zip(folder / "ada.zip", {f"my work/{LAB}": notebook(*RIGHT), "my work/a.pdf": "%PDF"})
    make_zip(folder / "bob" / "06.ZIP", {LAB: notebook(DOUBLE)})
    cy = "Cy Twombly_12345_assignsubmission_file"
    make_zip(
        folder / cy / "course.zip",
        {
            f"hpml/notebooks/{LAB}": notebook(*RIGHT),
            "hpml/results/predictions.json": "{}",
            "hpml/README.md": "x",
        },
    )
    make_zip(folder / "notes.zip", {"notes.txt": "x"})
    (folder / "broken.zip").write_bytes(b"PK")
    found, left_out = find_class(folder, lab="06", catalogue=CATALOGUE, unpacked=place)
    where = {each.name: each.notebooks["06"][0] for each in found}
    assert set(where) == {"ada.zip", "bob", cy}
    assert left_out == ["broken.zip", "notes.zip"]
    assert all(path.is_file() and path.is_relative_to(place) for path in where.values())
    assert all(each.upload_of(each.notebooks["06"][0]) == 0 for each in found)
    assert {"ada", "ada.zip"} <= next(each.names for each in found if each.name == "ada.zip")


def test_ones_own_zip(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "mine.zip", {LAB: notebook(*RIGHT)})
    submission = find(path, catalogue=CATALOGUE, unpacked=tmp_path / "unpacked")
    assert submission.labs == ("06",)
    assert submission.name == "mine"


def test_a_whole_copy_of_the_course(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "ada" / "hpml" / "notebooks", *RIGHT)
    for other in ("results", "data", "hpml"):
        (folder.parent / other).mkdir()
    assert grade(tmp_path / "ada").earned == 6.0
    shutil.move(folder.parent / "results", tmp_path / "ada" / "results")
    shutil.move(folder, tmp_path / "ada" / "notebooks")
    assert grade(tmp_path / "ada").earned == 6.0


def test_nothing_outside_and_no_link_is_unpacked(tmp_path: Path) -> None:
    names = ("../out.py", "a/../../out.py", "/out.py", "\\out.py", "..\\out.py", "C:\\out.py",
             "__MACOSX/a.py", ".git/a.py", "a.txt")  # fmt: skip
    path = make_zip(tmp_path / "in" / "x.zip", {**dict.fromkeys(names, "bad"), "good/a.py": "1"})
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("link.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert unpack(path, tmp_path / "place", wanted)
    assert below(tmp_path) == ["in/x.zip", "place/good/a.py"]


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_MOST_BYTES", 2**20)
    path = make_zip(tmp_path / "x.zip", {"bomb.py": "0" * 2**22, "small.py": "1"})
    assert unpack(path, tmp_path / "place", wanted)
    assert below(tmp_path / "place") == ["small.py"]
    monkeypatch.setattr(unpacking, "_MOST_FILES", 3)
    many = make_zip(tmp_path / "y.zip", {f"{n}.py": "1" for n in range(9)})
    assert unpack(many, tmp_path / "few", wanted)
    assert len(below(tmp_path / "few")) == 3


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_zip_has_nothing_and_stops_nothing(damage: str, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a.py": "".join(map(str, range(9999)))})
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        data[2000:2100] = bytes(100)
    path.write_bytes({"cut": data[:-30], "flipped": data, "empty": b""}[damage])
    assert not unpack(path, tmp_path / "place", wanted)
    assert not (tmp_path / "place").exists() or below(tmp_path / "place") == []


def test_a_link_to_a_zip_is_no_zip(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a.py": "1"})
    (tmp_path / "y.zip").symlink_to(path)
    assert is_zip(path)
    assert not is_zip(tmp_path / "y.zip")
