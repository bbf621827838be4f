from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A wrong answer is written as a student writes it.
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "hpml").rglob("*.py"))
    if "wrong_answers" not in path.parts
}


def test_every_file_holds_one_concept_in_under_400_lines() -> None:
    assert len(SOURCES) > 200
    assert [name for name, source in SOURCES.items() if len(source.splitlines()) >= 400] == []


def test_every_file_says_why_it_exists() -> None:
    silent = [
        name
        for name, source in SOURCES.items()
        if not source.lstrip().startswith(('"""', 'r"""'))
        or "from __future__ import annotations" not in source
    ]
    assert silent == []
