"""Read CPython bytecode, and execute it step by step on a stack machine.

The machine runs the bytecode compiled by the running CPython (3.11 to 3.15):

>>> from hpml.bytecode import trace
>>> def lecture(a, b, c):
...     d = a + b * c
...     return d
>>> steps = trace(lecture, 2, 3, 4)
>>> [step.stack_before for step in steps if step.opname == "BINARY_OP"]
[('2', '3', '4'), ('2', '12')]
>>> steps[-1].returned, steps[-1].locals["d"]
('14', '14')

`run` returns the value itself. `disassemble` lists bytecode, `count_instructions` counts the
instructions that CPython executes, `pyc_of` shows the ``.pyc`` file that an import writes, and
`object_header` an object's memory:

>>> from hpml.bytecode import disassemble
>>> [step.opname for step in disassemble(lecture).instructions if step.source == "a + b * c"]
['BINARY_OP']
"""

from __future__ import annotations

from hpml.bytecode.counting import count_instructions
from hpml.bytecode.disassembly import disassemble, pyc_of
from hpml.bytecode.errors import BytecodeError, StepLimitError, UnknownOpcodeError
from hpml.bytecode.machine import Machine, Step, Trace, run, trace
from hpml.bytecode.object_header import object_header

__all__ = [
    "BytecodeError",
    "Machine",
    "Step",
    "StepLimitError",
    "Trace",
    "UnknownOpcodeError",
    "count_instructions",
    "disassemble",
    "object_header",
    "pyc_of",
    "run",
    "trace",
]
