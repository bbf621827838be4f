"""The errors of `hpml.bytecode`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpml.base.errors import HpmlError

if TYPE_CHECKING:
    from hpml.bytecode.machine.trace import Trace


class BytecodeError(HpmlError):
    """A request about bytecode cannot be met. The root of the family."""


class UnknownOpcodeError(BytecodeError):
    """The stack machine has no handler for an instruction.

    Attributes:
        opname: the opcode's name.
        version: the running Python, such as ``"3.12"``.
    """

    def __init__(self, sentence: str = "", *, opname: str, version: str, **parts: str) -> None:
        super().__init__(sentence, **parts)
        self.opname = opname
        self.version = version


class StepLimitError(BytecodeError):
    """A run exceeded its limit of instructions.

    Attributes:
        steps: number of instructions executed.
        trace: the steps recorded up to the limit; None if the run was not recorded.
    """

    def __init__(
        self, sentence: str = "", *, steps: int, trace: Trace | None = None, **parts: str
    ) -> None:
        super().__init__(sentence, **parts)
        self.steps = steps
        self.trace = trace
