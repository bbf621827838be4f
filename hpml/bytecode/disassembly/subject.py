"""Find the code object of a function, or compile source text."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError


@dataclass(frozen=True)
class Subject:
    """A code object with a name for headings, and its source text if known."""

    name: str
    code: CodeType
    text: str | None = field(default=None, repr=False)

    def lines(self) -> tuple[str, ...]:
        """Return the lines of the code's source file; empty if it cannot be found."""
        if self.text is not None:
            return tuple(self.text.splitlines())
        return tuple(line.rstrip("\n") for line in linecache.getlines(self.code.co_filename))


def subject_of(value: object) -> Subject:
    """Return the code object of `value`."""
    if isinstance(value, str):
        return Subject("source text", compile_source(value), value)
    if isinstance(value, CodeType):
        return Subject(f"code {value.co_qualname}", value)
    kind = "method" if isinstance(value, MethodType) else "function"
    function = getattr(value, "__func__", value)  # of a bound, static or class method
    if isinstance(function, FunctionType):
        return Subject(f"{kind} {function.__qualname__}", function.__code__)
    raise BytecodeError(
        f"{describe(value)}, of type {type(value).__name__}, has no bytecode.",
        object=describe(value),
        expected="a function or method written in Python, a code object, or source text",
        received=type(value).__name__,
        remedy="Pass a function or method written in Python, a code object, or source text.",
    )


def compile_source(source: str) -> CodeType:
    """Return the code object of source text."""
    try:
        # Without dont_inherit, the text would inherit this file's __future__ imports.
        code: CodeType = compile(source, "<source>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = str(error) or "it is nested too deeply"
        raise BytecodeError(
            f"The source text does not compile: {reason}.",
            object="source text",
            expected="a program that compiles",
            received=reason,
            remedy="Correct the text.",
        ) from None
    return code
