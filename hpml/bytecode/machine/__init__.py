"""A stack machine that executes the bytecode compiled by the running CPython.

`decode` prepares code objects, `state` has the frames, `interpreter` the loop, ``opcodes`` the
handlers of instructions; `recorder` makes the `trace`.
"""

from __future__ import annotations

from hpml.bytecode.machine.machine import Machine, run, trace
from hpml.bytecode.machine.trace import Raised, Step, Trace

__all__ = ["Machine", "Raised", "Step", "Trace", "run", "trace"]
