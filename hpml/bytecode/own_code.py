"""Tells code of `hpml.bytecode` from that of the program that it runs."""

from __future__ import annotations

from pathlib import Path
from types import CodeType, FrameType

_FOLDER = str(Path(__file__).parent)


def is_ours(frame: FrameType) -> bool:
    """Return whether `frame` belongs to the machine and not to the program that it runs."""
    return is_our_code(frame.f_code)


def is_our_code(code: CodeType) -> bool:
    """Return whether `code` is code of the machine."""
    return code.co_filename.startswith(_FOLDER)
