"""Count the instructions that CPython itself executes for a call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError
from hpml.bytecode.own_code import is_our_code
from hpml.bytecode.watching import NoFreeToolError, watch_instructions


def count_instructions(
    function: Callable[..., Any],
    /,
    *arguments: Any,
    within: Callable[[CodeType], bool] | None = None,
) -> int:
    """Return how many bytecode instructions CPython executes for ``function(*arguments)``.

    The count includes all Python functions that `function` calls, and each ``EXTENDED_ARG``. It
    excludes the instructions that prepare a frame before its first ``RESUME`` (from 3.15 on, all
    that create a generator expression), and those of other threads.

    Args:
        function: called once.
        arguments: its positional arguments.
        within: predicate that selects the code objects to count; None counts all.

    Raises:
        BytecodeError: if nothing was counted, or if no monitoring tool can be registered.

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

    def count(code: CodeType, offset: int) -> None:
        nonlocal total
        total += 1

    def selected(code: CodeType) -> bool:
        return not is_our_code(code) and (within is None or within(code))

    try:
        watch_instructions(partial(function, *arguments), count, selected)
    except NoFreeToolError:
        raise BytecodeError(
            object="sys.monitoring",
            expected="a free tool slot of six, to count instructions",
            received="none",
            remedy="Switch off a profiler, a debugger or a coverage measurement.",
        ) from None
    if not total:
        selected_by = " that `within` selects" if within else ""
        raise BytecodeError(
            f"No instruction was counted in {describe(function)}, because it calls no Python "
            f"function{selected_by}.",
            object=describe(function),
            expected=f"calls of Python functions{selected_by}",
            received="none",
            remedy="Pass a function written in Python"
            + (", and a `within` that selects its code." if within else "."),
        )
    return total
