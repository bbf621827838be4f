"""How many instructions CPython itself executes for a call, whatever they are.

The interpreter reports instructions to `sys.monitoring` from 3.12 on (PEP 669), and to a trace
function with ``f_trace_opcodes`` on 3.11; from 3.12 on the latter takes effect too late, and counts
nothing in a function that runs once.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError
from hpml.bytecode.own_code import is_our_code

_TOOLS = (3, 4, 0, 1, 2, 5)  # first those that no kind of tool has a claim to


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
    hpml.bytecode.errors.BytecodeError: No instruction was counted in <built-in function len>: ...

    Source: https://docs.python.org/3/library/sys.monitoring.html; PEP 669.
    """
    counter = _Counter(within)
    if sys.version_info >= (3, 12):
        counter.monitor(function, arguments)
    else:
        counter.trace(function, arguments)
    if not counter.total:
        raise BytecodeError(
            f"No instruction was counted in {describe(function)}: it calls no Python function"
            f"{' of those asked for' if within else ''}. Pass a function written in Python."
        )
    return counter.total


class _Counter:
    """Counts what the interpreter reports from one thread."""

    def __init__(self, within: Callable[[CodeType], bool] | None) -> None:
        self.total = 0
        self._within = within
        self._thread = threading.get_ident()
        self._chosen: dict[CodeType, bool] = {}

    def monitor(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Call the function while `sys.monitoring` reports."""
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        free = [tool for tool in _TOOLS if monitoring.get_tool(tool) is None]
        if not free:
            raise BytecodeError(
                "count_instructions needs one of the six places for tools of sys.monitoring, and "
                "all are taken. Switch off a profiler, a debugger or a coverage measurement."
            )
        tool, events = free[0], monitoring.events
        # RESUME is reported as the start or the resumption of a function.
        chosen = (events.INSTRUCTION, events.PY_START, events.PY_RESUME)
        monitoring.use_tool_id(tool, "hpml.bytecode.count_instructions")
        try:
            for event in chosen:
                monitoring.register_callback(tool, event, self._reported)
            monitoring.set_events(tool, sum(chosen))
            function(*arguments)
        finally:
            monitoring.set_events(tool, 0)
            for event in chosen:
                monitoring.register_callback(tool, event, None)
            monitoring.free_tool_id(tool)

    def trace(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Call the function while a trace function is told of each instruction."""
        before = sys.gettrace()
        sys.settrace(self._traced)
        try:
            function(*arguments)
        finally:
            sys.settrace(before)

    def _reported(self, code: CodeType, offset: int) -> None:
        if threading.get_ident() == self._thread and self._counts(code):
            self.total += 1

    def _traced(self, frame: FrameType, event: str, argument: object) -> Any:
        if not self._counts(frame.f_code):
            return None
        if event == "call":
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
        self.total += event in ("call", "opcode")
        return self._traced

    def _counts(self, code: CodeType) -> bool:
        found = self._chosen.get(code)
        if found is None:
            found = not is_our_code(code) and (self._within is None or self._within(code))
            self._chosen[code] = found
        return found
