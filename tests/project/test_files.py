from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# A mistake is a program as a student writes it, in mistakes/.
SOURCES = [path for path in sorted((ROOT / "hpml").rglob("*.py")) if "mistakes" not in path.parts]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_holds_one_concept_in_under_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 400


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_says_why_it_exists(path: Path) -> None:
    first = path.read_text(encoding="utf-8").lstrip()
    assert first.startswith(('"""', 'r"""'))
    assert "from __future__ import annotations" in first
