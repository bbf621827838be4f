from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.circles import first_circle

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 15


def test_no_files_import_each_other_in_a_circle() -> None:
    assert first_circle(ROOT) == []


@pytest.mark.parametrize(
    "back",
    [
        "from hpml.base.a import x",
        "from hpml.base import a",
        "def f():\n    from . import a",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import hpml.base.a",
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, back: str) -> None:
    folder = tmp_path / "hpml" / "base"
    folder.mkdir(parents=True)
    for name, source in {"__init__": "", "a": "from hpml.base import b", "b": back}.items():
        (folder / f"{name}.py").write_text(source)
    assert set(first_circle(tmp_path)) == {"hpml.base.a", "hpml.base.b"}


def test_no_folder_holds_more_files_than_one_takes_in() -> None:
    folders = {path.parent for path in (ROOT / "hpml").rglob("*.py")}
    counts = {
        folder.relative_to(ROOT).as_posix(): len(list(folder.glob("*.py"))) for folder in folders
    }
    assert {name: count for name, count in counts.items() if count > MOST_FILES} == {}
