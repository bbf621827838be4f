"""Call a student's function once and return the outcome as plain data, whatever it raises."""

from __future__ import annotations

import contextlib
import inspect
import linecache
from collections.abc import Callable
from types import TracebackType
from typing import Any

from hpml.course.sandbox.harness import caller_of
from hpml.course.sandbox.plain import encode, type_name

_MESSAGE = 500


def call(
    function: Callable[..., Any],
    arguments: Callable[[Any], dict[str, Any]],
    observe: Callable[[Any, dict[str, Any]], Any],
    data: Any,
    *,
    interruptible: bool = False,
) -> dict[str, Any]:
    """Call `function` once and return the outcome."""
    given = arguments(data)
    before = {name: encode(value) for name, value in given.items()}
    try:
        through = caller_of(observe)
        named = as_named(function, given)
        result = function(**named) if through is None else through(function, named)
        after = {name: encode(given[name]) for name in before}
        value = encode(observe(result, given))
        if inspect.iscoroutine(result):
            result.close()  # avoids the warning that it was never awaited
    except BaseException as error:  # KeyboardInterrupt and SystemExit are outcomes too
        if interruptible and isinstance(error, KeyboardInterrupt):
            raise
        return raised(error, function)
    changed = {name: after[name] for name in before if after[name] != before[name]}
    return {"outcome": "returned", "value": value, "changed": changed}


def as_named(function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments, renamed by position to the function's own parameter names."""
    with contextlib.suppress(TypeError, ValueError):
        signature = inspect.signature(function)
        with contextlib.suppress(TypeError):
            signature.bind(**given)
            return given
        names = list(signature.bind(*given.values()).arguments)
        kinds = {signature.parameters[name].kind for name in names}
        if len(names) == len(given) and kinds == {inspect.Parameter.POSITIONAL_OR_KEYWORD}:
            return dict(zip(names, given.values(), strict=True))
    return given


def raised(error: BaseException, function: object = None) -> dict[str, Any]:
    """Return an exception as an outcome."""
    mro: tuple[type, ...] = type.__dict__["__mro__"].__get__(type(error))
    code = getattr(function, "__code__", None)
    return {
        "outcome": "raised",
        "type": _short_name(type(error)),
        "bases": [_short_name(kind) for kind in mro if kind is not object],
        "message": _message(error),
        "line": _line(error.__traceback__, getattr(code, "co_filename", None)),
    }


def _short_name(kind: type) -> str:
    return str(type.__dict__["__name__"].__get__(kind))[:100]


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException as second:  # noqa: BLE001 - str() runs the submission's code
        return f"<str() raises {type_name(second)}>"
    # An exact str without characters that JSON or a terminal cannot represent.
    text = str.__getitem__(text, slice(0, _MESSAGE))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _line(traceback: TracebackType | None, file: object) -> str:
    """Return the deepest line in the submission's own file, with its text."""
    found: tuple[str, int] | None = None
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if type(file) is str and name == file:
            found = (name, traceback.tb_lineno)
        traceback = traceback.tb_next
    if found is None:
        return ""
    text = linecache.getline(*found).strip()
    return f"line {found[1]}: {text[:200]}" if text else f"line {found[1]}"
