"""The exceptions of `hpml.jit`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class JitError(HpmlError):
    """Base class of all errors about compiling."""


class NoCompilerError(JitError):
    """This machine has no compiler, or Python's headers are missing."""


class CompileError(JitError):
    """The compiler rejected the source; the message contains its output."""
