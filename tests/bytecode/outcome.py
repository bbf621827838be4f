"""What a call did, as plain values: to compare CPython with the stack machine."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from collections.abc import Callable
from typing import Any

from hpml.bytecode import BytecodeError
from hpml.bytecode.machine.decode import decode
from hpml.bytecode.machine.machine import RUN_LIMIT, call
from hpml.bytecode.machine.state import MachineState, Reraise
from hpml.bytecode.plain_attributes import unchanged

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def run(function: types.FunctionType, *args: Any) -> Any:
    """Return what the stack machine returns for ``function(*args)``, or raise what it raises."""
    state = MachineState(RUN_LIMIT, lambda _: True, decode)
    outcome = call(state, function, list(args), {})
    if isinstance(outcome, Reraise):
        with unchanged(outcome.error, sys.exc_info()[1]):
            raise outcome.error
    return outcome.value


def outcome_of(function: Callable[..., Any], *args: Any) -> dict[str, Any]:
    """Return what ``function(*args)`` printed, returned and raised, for ``==`` to compare."""
    out = io.StringIO()
    value, error = None, None
    with contextlib.redirect_stdout(out):
        try:
            value = function(*args)
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
    if isinstance(error, BaseExceptionGroup):
        text["group"] = [described(inner, seen) for inner in error.exceptions]
    return text


def differences(native: dict[str, Any], machine: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what differs, by name, as (CPython's, the machine's)."""
    return {key: (native[key], machine[key]) for key in native if native[key] != machine[key]}
