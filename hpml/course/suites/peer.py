"""The library pytorch-symbolic as a contender.

When imported it replaces ``torch.nn.Module.__new__`` and ``__call__`` for good, which slows down
everything else, unless its environment variable disables that.
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
    """Return the library's name if it is installed."""
    return () if installed_version(NAME) is None else (NAME,)


def notes() -> tuple[str, ...]:
    """Return a note if the library is missing."""
    return () if names() else (f"{NAME} is not installed: pip install {NAME}",)


@module_calls.measuring
def model(example: Any, connect: Callable[[Any], Any]) -> Any:
    """Return the library's model of the function `connect`, which calls layers as ``layer(x)``.

    The library traces with the example, so its device must be that of the layers.
    """
    # The decorator suspends hpml's patch of `Module.__call__`: the library would store and later
    # restore it as if it were PyTorch's own.
    before = os.environ.get(_SWITCH)
    os.environ[_SWITCH] = "False"
    try:
        library = importlib.import_module("pytorch_symbolic")
    finally:
        del os.environ[_SWITCH]
        if before is not None:
            os.environ[_SWITCH] = before
    inputs = library.CustomInput(example)
    with library.SymbolicAPI2ContextManager():
        return library.SymbolicModel(inputs, connect(inputs))
