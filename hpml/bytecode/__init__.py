"""Under the interpreter: bytecode to read, and a stack machine that executes it step by step.

The machine runs the bytecode that your own CPython (3.11, 3.12 or 3.13) compiled, and needs nothing
but the standard library:

>>> from hpml.bytecode import run, trace
>>> def lecture(a, b, c):
...     d = a + b * c
...     return d
>>> run(lecture, 2, 3, 4)
14
>>> steps = trace(lecture, 2, 3, 4)
>>> [step.stack_before for step in steps if step.opname == "BINARY_OP"]
[('2', '3', '4'), ('2', '12')]
>>> steps[-1].returned, steps[-1].locals["d"]
('14', '14')
"""

from __future__ import annotations

from hpml.bytecode.errors import BytecodeError, StepLimitError, UnknownOpcodeError
from hpml.bytecode.machine import Machine, run, trace
from hpml.bytecode.trace import Step, Trace

__all__ = [
    "BytecodeError",
    "Machine",
    "Step",
    "StepLimitError",
    "Trace",
    "UnknownOpcodeError",
    "run",
    "trace",
]
