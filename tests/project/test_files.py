from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_file_says_why_it_exists() -> None:
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "hpml").rglob("*.py"))
        if "wrong_answers" not in path.parts
    }
    assert len(sources) > 200
    silent = [
        name
        for name, source in sources.items()
        if not source.lstrip().startswith(('"""', 'r"""'))
        or ("\n\n" in source and "from __future__ import annotations" not in source)
    ]
    assert silent == []
