"""The peer: pytorch-symbolic, the library of the documents, as a contender beside ours.

By default it replaces ``torch.nn.Module.__new__`` and ``__call__`` when it is imported, which slows
everything else down and cannot be undone. Its own switch leaves that out.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from hpml.base import module_calls
from hpml.base.environment import installed_version

NAME = "pytorch-symbolic"
_SWITCH = "PYTORCH_SYMBOLIC_API_2_ENABLED_BY_DEFAULT"


def names() -> tuple[str, ...]:
    """Return its name if it is installed, otherwise nothing."""
    return () if installed_version(NAME) is None else (NAME,)


def notes() -> tuple[str, ...]:
    """Return a note for the tables if it is missing."""
    return () if names() else (f"{NAME} is not installed: pip install {NAME}",)


@module_calls.measuring
def model(shape: tuple[int, ...], connect: Callable[[Any], Any]) -> Any:
    """Return its model of what `connect` makes of an input; layers are called as ``layer(x)``.

    Without our own interception, which it would take for PyTorch's call and put back for good.
    """
    before = os.environ.get(_SWITCH)
    os.environ[_SWITCH] = "False"
    try:
        library = importlib.import_module("pytorch_symbolic")
    finally:
        del os.environ[_SWITCH]
        if before is not None:
            os.environ[_SWITCH] = before
    inputs = library.Input(shape=shape)
    with library.SymbolicAPI2ContextManager():
        return library.SymbolicModel(inputs, connect(inputs))
