"""Find the code object of a function, or compile source text."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from types import CodeType, FunctionType, GeneratorType, MethodType

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError

SOURCE_NAME = "<source>"
"""The file name in code compile_source from source text."""


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
    if isinstance(value, GeneratorType):
        return Subject(f"generator {value.__qualname__}", value.gi_code)
    kind = "method" if isinstance(value, MethodType) else "function"
    function = getattr(value, "__func__", value)  # of a bound, static or class method
    if isinstance(function, FunctionType):
        return Subject(f"{kind} {function.__qualname__}", function.__code__)
    raise BytecodeError(
        f"{describe(value)}, of type {type(value).__name__}, has no bytecode. Expected "
        "a function or method written in Python, a code object, or source text."
    )


def compile_source(source: str, mode: str = "exec") -> CodeType:
    """Return the code object of source text."""
    try:
        # Without dont_inherit, the text would inherit this file's __future__ imports.
        code: CodeType = compile(source, SOURCE_NAME, mode, dont_inherit=True)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        shown = f"\n    {error.text.strip()}" if error.text else ""
        raise BytecodeError(
            f"The source text does not compile: {where}{error.msg}.{shown}"
        ) from None
    except (RecursionError, MemoryError):
        raise BytecodeError(
            "The source text does not compile: it is nested too deeply. Split the expression."
        ) from None
    except ValueError as error:  # null bytes, a lone surrogate
        raise BytecodeError(f"The source text does not compile: {error}.") from None
    return code
