"""A stack machine that executes the bytecode compiled by the running CPython.

`decode` prepares a code object. Its calls are frames on coroutine stacks (`state`). The loop
(`interpreter`) lets each instruction change its frame (``opcodes``), and a recorder writes the
steps down (`recorder`, `trace`). `frame_builtins` and `generators` hide the machine from the
program.
"""

from __future__ import annotations

from hpml.bytecode.machine.machine import Machine, trace
from hpml.bytecode.machine.trace import Raised, Step, Trace

__all__ = ["Machine", "Raised", "Step", "Trace", "trace"]
