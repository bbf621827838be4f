"""How many instructions CPython itself executes for a call, whatever they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError
from hpml.bytecode.own_code import is_our_code
from hpml.sandbox.instructions import NoFreeToolError, watch_instructions


def count_instructions(
    function: Callable[..., Any],
    /,
    *arguments: Any,
    within: Callable[[CodeType], bool] | None = None,
) -> int:
    """Return how many bytecode instructions CPython executes for ``function(*arguments)``.

    They are those of the function and of all Python functions that it calls, as the interpreter
    reports them; what prepares a frame before its first ``RESUME`` is not reported. Instructions
    of other threads do not count.

    Args:
        function: what is called, once.
        arguments: what it is called with.
        within: which code objects count; all if None.

    Raises:
        BytecodeError: if nothing was counted, or if no tool can be registered to count.

    >>> def add(a, b):
    ...     return a + b
    >>> def twice(a, b):
    ...     add(a, b)
    ...     return add(a, b)
    >>> once = count_instructions(add, 1, 2)
    >>> count_instructions(twice, 1, 2, within=lambda code: code.co_name == "add") == 2 * once
    True
    >>> count_instructions(len, [])
    Traceback (most recent call last):
    hpml.bytecode.errors.BytecodeError: No instruction was counted in <built-in function len>, ...

    Source: https://docs.python.org/3/library/sys.monitoring.html; PEP 669.
    """
    total = 0

    def counted(code: CodeType, offset: int) -> None:
        nonlocal total
        total += 1

    def chosen(code: CodeType) -> bool:
        return not is_our_code(code) and (within is None or within(code))

    try:
        watch_instructions(partial(function, *arguments), counted, chosen)
    except NoFreeToolError as error:
        raise BytecodeError(str(error)) from None
    if not total:
        raise BytecodeError(
            f"No instruction was counted in {describe(function)}, because it calls no Python "
            f"function{' of those asked for' if within else ''}. Pass a function written in "
            "Python."
        )
    return total
