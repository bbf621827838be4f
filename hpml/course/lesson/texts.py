"""The folders of the labs, and their texts: the hints, the explanation and its predicted ranges.

Texts and known wrong answers are close to a solution. So the students' copy has both compressed, as
``texts.packed`` and ``wrong_answers/EXERCISE.packed``: opening a file by accident shows no answer.
"""

from __future__ import annotations

import functools
import tomllib
import zlib
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.course.lesson.errors import LabError

PACKED = ".packed"
"""The ending of a compressed file."""

_FOLDERS: dict[str, Path] = {
    path.name[4:6]: path
    for path in sorted((Path(__file__).parents[1] / "labs").glob("lab_[0-9][0-9]_*"))
    if (path / "__init__.py").is_file()
}

LABS: tuple[str, ...] = tuple(_FOLDERS)
"""The numbers of the labs: ``("00", "01", ...)``."""


def folder(lab: str) -> Path:
    """Return the folder of a lab; raises LabError if there is none."""
    if lab not in _FOLDERS:
        raise LabError(
            object="lab",
            expected=f"one of {', '.join(LABS) or 'none'}, which have exercises",
            received=describe(lab),
            remedy="Open a lab with lab_head(...), or name one of these.",
        )
    return _FOLDERS[lab]


@functools.cache
def texts(lab: str) -> Any:
    """Return the contents of a lab's ``texts.toml``, without line breaks in the texts."""
    return _on_one_line(tomllib.loads(read_packed(folder(lab) / "texts.toml")))


def read_packed(path: Path) -> str:
    """Return the text of a file or of its packed form; an empty text if neither exists."""
    packed = path.with_suffix(PACKED)
    if packed.is_file():
        return zlib.decompress(packed.read_bytes()).decode("utf-8")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _on_one_line(words: Any) -> Any:
    if isinstance(words, dict):
        return {key: _on_one_line(value) for key, value in words.items()}
    if isinstance(words, list):
        return [_on_one_line(value) for value in words]
    return " ".join(words.split()) if isinstance(words, str) else words
