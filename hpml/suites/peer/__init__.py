"""The peer `pytorch-symbolic`: what it is called, and whether it is here."""

from __future__ import annotations

import importlib.util

NAME = "pytorch-symbolic"


def how_to_install() -> str | None:
    """Return what to do to have the peer measured, or None if it is installed."""
    if importlib.util.find_spec("pytorch_symbolic") is not None:
        return None
    return (
        "it is not installed; `python -m pip install pytorch-symbolic==1.2.4` in the course's "
        "environment adds it"
    )
