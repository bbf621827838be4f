"""Report every bytecode instruction that a call executes.

From Python 3.12 on this uses `sys.monitoring` (PEP 669), on 3.11 a trace function. From 3.12 on, a
trace function sees instructions only from a function's next call on.
"""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

Value = TypeVar("Value")
Report = Callable[[CodeType, int], object]

_RESUME = dis.opmap["RESUME"]
_EXTENDED_ARG = dis.opmap["EXTENDED_ARG"]
_CREATES = 4 if sys.version_info >= (3, 15) else -1
"""The argument of RESUME where a generator expression is created, from 3.15 on."""

_TOOLS = (3, 4, 0, 1, 2, 5)  # IDs not reserved for a kind of tool first


class NoFreeToolError(RuntimeError):
    """All tool IDs of `sys.monitoring` are in use."""


def watch_instructions(
    run: Callable[[], Value], report: Report, within: Callable[[CodeType], bool] | None = None
) -> Value:
    """Call `run` and return its result; `report` receives each executed instruction."""
    watcher = _Watcher(report, within)
    return (watcher.monitor if sys.version_info >= (3, 12) else watcher.trace)(run)


def first_resume(data: bytes) -> int:
    """Return the offset of the first RESUME of a function, or of a generator once it runs.

    CPython prepares the frame before. It reports these instructions at some calls only.
    """
    for offset in range(0, len(data), 2):
        if data[offset] == _RESUME and data[offset + 1] != _CREATES:
            return offset
    return 0


class _Watcher:
    """Report the instructions of one thread."""

    def __init__(self, report: Report, within: Callable[[CodeType], bool] | None) -> None:
        self._report = report
        self._within = within
        self._thread = threading.get_ident()
        self._chosen: dict[CodeType, bool] = {}
        self._codes: dict[CodeType, tuple[bytes, int]] = {}

    def monitor(self, run: Callable[[], Value]) -> Value:
        """Call `run` while `sys.monitoring` reports."""
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
        free = [tool for tool in _TOOLS if monitoring.get_tool(tool) is None]
        if not free:
            raise NoFreeToolError(
                "Counting instructions needs one of the six tool slots of sys.monitoring, and "
                "all are in use. Switch off a profiler, a debugger or a coverage measurement."
            )
        tool, events = free[0], monitoring.events
        # RESUME is reported as the start or the resumption of a function.
        chosen = (events.INSTRUCTION, events.PY_START, events.PY_RESUME)
        monitoring.use_tool_id(tool, "hpml instructions")
        try:
            for event in chosen:
                monitoring.register_callback(tool, event, self._reported)
            monitoring.set_events(tool, sum(chosen))
            return run()
        finally:
            monitoring.set_events(tool, 0)
            for event in chosen:
                monitoring.register_callback(tool, event, None)
            monitoring.free_tool_id(tool)

    def trace(self, run: Callable[[], Value]) -> Value:
        """Call `run` while a trace function receives each instruction."""
        before = sys.gettrace()
        sys.settrace(self._traced)
        try:
            return run()
        finally:
            sys.settrace(before)

    def _reported(self, code: CodeType, offset: int) -> None:
        is_mine = threading.get_ident() == self._thread and self._counts(code)
        if is_mine and offset >= self._code(code)[1]:
            self._report(code, offset)

    def _traced(self, frame: FrameType, event: str, argument: object) -> Any:
        if not self._counts(frame.f_code):
            return None
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        code, offset = frame.f_code, frame.f_lasti
        data, _ = self._code(code)
        # An exception thrown into a generator is a call as well, which executes no RESUME.
        if event == "opcode" or (event == "call" and data[offset] == _RESUME):
            self._report(code, offset)
            # CPython 3.11 reports an EXTENDED_ARG, but not the instruction that it extends (nor a
            # second EXTENDED_ARG between them).
            while data[offset] == _EXTENDED_ARG:
                offset += 2
                self._report(code, offset)
        return self._traced

    def _code(self, code: CodeType) -> tuple[bytes, int]:
        """Return the bytes of `code`, and the offset at which its frame is prepared."""
        found = self._codes.get(code)
        if found is None:
            data = code.co_code  # a copy
            found = self._codes[code] = data, first_resume(data)
        return found

    def _counts(self, code: CodeType) -> bool:
        found = self._chosen.get(code)
        if found is None:
            mine = code.co_filename == __file__
            found = not mine and (self._within is None or self._within(code))
            self._chosen[code] = found
        return found
