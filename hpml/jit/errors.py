"""The errors of compiling: one family."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class JitError(HpmlError):
    """Something could not be compiled. The root of the family."""


class NoCompilerError(JitError):
    """This machine has no compiler, or Python's headers are missing."""


class CompileError(JitError):
    """The compiler refused the source; the message is what it says, with the line."""
