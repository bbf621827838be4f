"""Every bytecode instruction that a call executes, reported as the interpreter reaches it.

Python 3.11 tells a trace function of each. From 3.12 on that takes effect only at a function's next
call, so that a first run counts nothing; there `sys.monitoring` reports from the first on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, TypeVar

Value = TypeVar("Value")


def watch_instructions(
    run: Callable[[], Value], report: Callable[[CodeType, int], object]
) -> Value:
    """Call `run` and return what it returns; `report` is told of each instruction executed.

    Reported is what this thread executes in Python, by code object and offset. ``RESUME``, at which
    a function begins, is reported by Python 3.11 only.

    Raises:
        RuntimeError: if six other tools occupy `sys.monitoring`.

    >>> from functools import partial
    >>> def double(number):
    ...     return 2 * number
    >>> seen = []
    >>> watch_instructions(partial(double, 4), lambda code, offset: seen.append(code.co_name))
    8
    >>> set(seen)
    {'double'}
    """
    watch = _monitored if sys.version_info >= (3, 12) else _traced
    return watch(run, report)


def _monitored(run: Callable[[], Value], report: Callable[[CodeType, int], object]) -> Value:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    free = [number for number in range(6) if monitoring.get_tool(number) is None]
    if not free:
        raise RuntimeError(
            "Counting instructions needs one of the six tools of sys.monitoring, and all are taken "
            "by debuggers and profilers; end one of them."
        )
    tool, event, thread = free[0], monitoring.events.INSTRUCTION, get_ident()

    def instruction(code: CodeType, offset: int) -> None:
        if code is not _monitored.__code__ and get_ident() == thread:
            report(code, offset)

    monitoring.use_tool_id(tool, "hpml instructions")
    monitoring.register_callback(tool, event, instruction)
    monitoring.set_events(tool, event)
    try:
        return run()
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)


def _traced(run: Callable[[], Value], report: Callable[[CodeType, int], object]) -> Value:
    def trace(frame: FrameType, event: str, argument: object) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            report(frame.f_code, frame.f_lasti)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return run()
    finally:
        sys.settrace(before)
