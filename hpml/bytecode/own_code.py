"""Separate the code of `hpml.bytecode` from the program that it runs.

The program may replace builtins (``builtins.len = ...``). Each module of the machine sets
``__builtins__ = BUILTINS``; functions defined after that line look builtins up in this copy.
"""

from __future__ import annotations

import builtins
import importlib.util
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

BUILTINS: Any = dict(vars(builtins))

_FOLDER = str(Path(__file__).parent)


def with_own_builtins(name: str) -> ModuleType:
    """Return a copy of a module whose functions use `BUILTINS`."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"The module {name} has no source to load a copy from.", name=name)
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__builtins__"] = BUILTINS
    spec.loader.exec_module(module)
    return module


def is_our_code(code: CodeType) -> bool:
    """Return whether `code` belongs to `hpml.bytecode`."""
    return code.co_filename.startswith(_FOLDER)
