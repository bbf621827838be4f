"""The errors of `hpml.bytecode`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpml.base.errors import HpmlError

if TYPE_CHECKING:
    from hpml.bytecode.machine.trace import Trace


class BytecodeError(HpmlError):
    """Something was asked of bytecode that it cannot do; the message says what to do."""


class UnknownOpcodeError(BytecodeError):
    """The stack machine met an instruction that it has no handler for.

    Attributes:
        opname: the opcode's name.
        version: the version of Python whose table of opcodes was asked, such as ``"3.12"``.
    """

    def __init__(self, message: str, *, opname: str, version: str) -> None:
        super().__init__(message)
        self.opname = opname
        self.version = version


class StepLimitError(BytecodeError):
    """A run took more instructions than it was allowed.

    Attributes:
        steps: how many instructions were executed.
        trace: what was recorded until then; None if nothing was recorded.
    """

    def __init__(self, message: str, *, steps: int, trace: Trace | None = None) -> None:
        super().__init__(message)
        self.steps = steps
        self.trace = trace
