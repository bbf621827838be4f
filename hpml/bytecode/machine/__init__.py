"""A stack machine that executes the bytecode which this CPython compiled.

A code object is decoded (`decode`), its calls are frames on coroutine stacks (`state`), the loop
(`interpreter`) lets each instruction change its frame (``opcodes``), a recorder writes the steps
down (`recorder`, `trace`). `frame_builtins` and `generators` are where the program must not see the
machine.
"""

from __future__ import annotations

from hpml.bytecode.machine.machine import Machine, trace
from hpml.bytecode.machine.trace import Raised, Step, Trace

__all__ = ["Machine", "Raised", "Step", "Trace", "trace"]
