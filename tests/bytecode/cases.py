"""The corpus as a list: each function of ``corpus/`` is called without arguments."""

from __future__ import annotations

import importlib
import linecache
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

_MODULES = sorted(path.stem for path in (Path(__file__).parent / "corpus").glob("*.py"))


def corpus() -> dict[str, Callable[[], Any]]:
    """Return the functions that this Python can compile, by name."""
    found: dict[str, Callable[[], Any]] = {}
    for module_name in _MODULES:
        if module_name == "newer_syntax":
            continue
        module = importlib.import_module(f"tests.bytecode.corpus.{module_name}")
        for name, value in vars(module).items():
            if (
                isinstance(value, FunctionType)
                and value.__module__ == module.__name__
                and not value.__code__.co_argcount
                and not value.__code__.co_flags & 0x0C
            ):
                found[f"{module_name}.{name}"] = value
    newer = importlib.import_module("tests.bytecode.corpus.newer_syntax")
    for number, (version, text) in enumerate(newer.FUNCTIONS):
        if sys.version_info >= version:
            function = from_text(text, f"<newer syntax {number}>")
            found[f"newer_syntax.{function.__name__}"] = function
    return found


def from_text(text: str, file: str, name: str | None = None) -> FunctionType:
    """Return the (last, or named) function that `text` defines, with lines that tracebacks show."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "tests.bytecode.from_text"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # odd on purpose
        code = compile(text, file, "exec", dont_inherit=True)
    exec(code, space)
    if name is not None:
        found = space[name]
    else:
        found = [value for value in space.values() if isinstance(value, FunctionType)][-1]
    assert isinstance(found, FunctionType)
    return found
