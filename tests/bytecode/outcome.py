"""What a call did, as plain values: to compare CPython with the stack machine."""

from __future__ import annotations

import contextlib
import io
import re
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hpml.bytecode import BytecodeError

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_HERE = (str(Path(__file__)), str(Path(traceback.__file__)))


def outcome_of(call: Callable[..., Any], *args: Any, reports: bool = True) -> dict[str, Any]:
    """Return what ``call(*args)`` printed, returned and raised, for ``==`` to compare.

    Args:
        call: the function, or the machine.
        args: its arguments.
        reports: whether to add the text that Python prints for an exception.
    """
    out = io.StringIO()
    value, error = None, None
    with contextlib.redirect_stdout(out):
        try:
            value = call(*args)
        except BytecodeError:
            raise
        except BaseException as caught:  # noqa: BLE001 - it is compared
            error = caught
    return {
        "value": shown(value),
        "type": type(value).__name__,
        "printed": _ADDRESS.sub("", out.getvalue()),
        "length": len(out.getvalue()),
        "error": None if error is None else described(error),
        "report": None if error is None or not reports else _report(error),
    }


def shown(value: Any) -> str:
    """Return the text of a value without addresses; of a set in a fixed order."""
    if type(value) is types.GeneratorType:
        return f"generator {value.__qualname__}"
    try:
        return _ADDRESS.sub("", repr(value))
    except Exception as error:  # noqa: BLE001 - it is compared
        return f"{type(value).__name__} whose repr raises {type(error).__name__}"


def described(error: BaseException | None, seen: tuple[int, ...] = ()) -> Any:
    """Return all that an exception carries, with the exceptions that hang on it."""
    if error is None or id(error) in seen:
        return None
    seen = (*seen, id(error))
    text: dict[str, Any] = {
        "type": type(error).__name__,
        "args": shown(error.args),
        "text": shown(str(error)) if type(error).__str__ is not object.__str__ else "",
        "notes": getattr(error, "__notes__", None),
        "name": getattr(error, "name", None) if isinstance(error, NameError) else None,
        "suppress": error.__suppress_context__,
        "cause": described(error.__cause__, seen),
        "context": described(error.__context__, seen),
    }
    if not isinstance(error, RecursionError):
        text["lines"] = entries(error)
    if isinstance(error, BaseExceptionGroup):
        text["group"] = [described(inner, seen) for inner in error.exceptions]
    return text


def entries(error: BaseException) -> list[tuple[str, str, int | None]]:
    """Return file, function and line of each entry of the traceback but our own."""
    found = []
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename not in _HERE:
            name = Path(code.co_filename).name
            found.append((name, code.co_qualname, entry.tb_lineno))
        entry = entry.tb_next
    return found


def _report(error: BaseException) -> list[str]:
    """Return what Python prints for `error`, without the lines of this file."""
    if isinstance(error, RecursionError):
        return []
    lines = "".join(traceback.format_exception(error)).splitlines()
    kept: list[str] = []
    skipping = False
    for line in lines:
        if line.lstrip(" |+").startswith("File "):
            skipping = any(f'"{name}"' in line for name in _HERE)
        elif not line.lstrip(" |").startswith(("~", "^")) and not line.startswith("    "):
            skipping = False
        if not skipping:
            kept.append(_ADDRESS.sub("", line))
    return kept


def differences(native: dict[str, Any], machine: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what differs, by name, as (CPython's, the machine's)."""
    return {key: (native[key], machine[key]) for key in native if native[key] != machine[key]}
