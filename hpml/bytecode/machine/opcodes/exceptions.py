"""Raising and handling: ``raise``, ``try``, ``except``, ``except*``, ``finally``."""

from __future__ import annotations

import sys
from typing import Any, TypeGuard

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Reraise
from hpml.bytecode.own_code import BUILTINS
from hpml.bytecode.plain_attributes import cause_of, context_of, mro, traceback_of

__builtins__ = BUILTINS

_NOT_A_CLASS = "catching classes that do not inherit from BaseException is not allowed"
_NO_GROUPS = "catching ExceptionGroup with except* is not allowed. Use except instead."


def raise_varargs(frame: Frame, instruction: DecodedInstruction) -> Reraise:
    """Pop a cause (if 2) and an exception (if 1 or 2) and raise; with 0 raise the handled one."""
    if instruction.arg == 0:
        handled = sys.exc_info()[1]
        if handled is None:
            raise RuntimeError("No active exception to reraise")
        return Reraise(handled)
    if instruction.arg == 1:
        raise frame.stack.pop()
    cause = frame.stack.pop()
    raise frame.stack.pop() from cause


def reraise(frame: Frame, instruction: DecodedInstruction) -> Reraise:
    """Pop an exception, and let it go on."""
    return Reraise(frame.stack.pop())


def push_exc_info(frame: Frame, instruction: DecodedInstruction) -> None:
    """Begin to handle the exception on top; the one handled before goes below it."""
    error = frame.stack.pop()
    frame.stack.append(frame.coroutine_stack.handled)
    frame.stack.append(error)
    frame.coroutine_stack.handled = error


def pop_except(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop the exception handled before, and handle that again."""
    frame.coroutine_stack.handled = frame.stack.pop()


def check_exc_match(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop the class (or classes) after ``except``; push whether the exception on top is one."""
    expected = frame.stack.pop()
    _check_classes(expected)
    frame.stack.append(_matches(frame.stack[-1], expected))


def _check_classes(expected: Any) -> None:
    for kind in expected if issubclass(type(expected), tuple) else (expected,):
        if not (issubclass(type(kind), type) and issubclass(kind, BaseException)):
            raise TypeError(_NOT_A_CLASS)


def _matches(error: BaseException, expected: Any) -> bool:
    """Compare classes as ``except`` does: by inheritance, whatever ``isinstance`` would say."""
    kinds = expected if issubclass(type(expected), tuple) else (expected,)
    # By identity: a metaclass may define what equal classes are.
    return any(kind is base for kind in kinds for base in mro(type(error)))


# Exception groups (PEP 654)


def _is_group(error: BaseException) -> TypeGuard[BaseExceptionGroup[BaseException]]:
    return issubclass(type(error), BaseExceptionGroup)  # and no question to the object


def check_eg_match(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop the class after ``except*`` and a group; push what does not match and what does."""
    expected = frame.stack.pop()
    error = frame.stack.pop()
    _check_classes(expected)
    for kind in expected if issubclass(type(expected), tuple) else (expected,):
        if issubclass(kind, BaseExceptionGroup):
            raise TypeError(_NO_GROUPS)
    match: BaseException | None = None
    rest: BaseException | None = error
    if _matches(error, expected):
        # A handler always gets a group, even where a single exception was raised.
        grouped = _is_group(error)
        match, rest = error if grouped else BaseExceptionGroup("", (error,)), None
    elif _is_group(error):
        match, rest = error.split(expected)
    frame.stack.append(rest)
    frame.stack.append(match)
    if match is not None:
        frame.coroutine_stack.handled = match


def prep_reraise_star(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop what the handlers raised and the original group; push what remains to be raised."""
    raised = frame.stack.pop()
    original = frame.stack.pop()
    frame.stack.append(remaining(original, raised))


def remaining(original: BaseException, results: list[BaseException | None]) -> Any:
    """Return the exception to raise after all ``except*`` clauses, or None."""
    if not results:
        return None
    if not _is_group(original):
        return results[0]
    errors = [error for error in results if error is not None]
    new = [error for error in errors if not _is_part_of(error, original)]
    kept = {id(leaf) for error in errors if error not in new for leaf in _leaves(error)}
    again = original.split(lambda error: id(error) in kept)[0] if kept else None
    if not new:
        return again
    if again is not None:
        new.append(again)
    return BaseExceptionGroup("", new) if len(new) > 1 else new[0]


def _is_part_of(error: BaseException, original: BaseException) -> bool:
    """Return whether `error` was split off `original`, which copies all that hangs on it."""
    return (
        _is_group(error)
        and getattr(error, "__notes__", None) is getattr(original, "__notes__", None)
        and all(field(error) is field(original) for field in (traceback_of, cause_of, context_of))
    )


def _leaves(error: BaseException) -> list[BaseException]:
    if _is_group(error):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]


def load_assertion_error(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push ``AssertionError``, whatever that name means in the program."""
    frame.stack.append(AssertionError)
