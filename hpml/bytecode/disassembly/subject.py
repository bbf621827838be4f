"""Find the code object of a function, or say in the error what to pass instead."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from types import CodeType, FunctionType, GeneratorType, MethodType

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError

SOURCE_NAME = "<source>"
"""The file name of code that was compiled from text given here."""


@dataclass(frozen=True)
class Subject:
    """A code object with a name for headings, and its source where it is known."""

    name: str
    code: CodeType
    text: str | None = field(default=None, repr=False)

    def lines(self) -> tuple[str, ...]:
        """Return the lines of the file that the code came from; none if it cannot be found."""
        if self.text is not None:
            return tuple(self.text.splitlines())
        return tuple(line.rstrip("\n") for line in linecache.getlines(self.code.co_filename))


def subject_of(value: object) -> Subject:
    """Return the code object that `value` stands for."""
    if isinstance(value, str):
        return Subject("source text", compiled(value), value)
    if isinstance(value, CodeType):
        return Subject(f"code {value.co_qualname}", value)
    if isinstance(value, GeneratorType):
        return Subject(f"generator {value.__qualname__}", value.gi_code)
    kind = "method" if isinstance(value, MethodType) else "function"
    function = getattr(value, "__func__", value)  # of a method, bound, static or of the class
    if isinstance(function, FunctionType):
        return Subject(f"{kind} {function.__qualname__}", function.__code__)
    raise BytecodeError(
        f"{describe(value)}, of type {type(value).__name__}, has no bytecode of its own. Expected "
        "a function or method written in Python, a code object, or source text."
    )


def compiled(source: str, mode: str = "exec") -> CodeType:
    """Return the code object of source text."""
    try:
        # Not this file's own __future__ imports: the text stands for itself.
        code: CodeType = compile(source, SOURCE_NAME, mode, dont_inherit=True)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        shown = f"\n    {error.text.strip()}" if error.text else ""
        raise BytecodeError(
            f"The source text does not compile: {where}{error.msg}.{shown}"
        ) from None
    except (RecursionError, MemoryError):
        raise BytecodeError(
            "The source text does not compile: it is nested too deeply. Divide the expression."
        ) from None
    except ValueError as error:  # null bytes, a lone surrogate
        raise BytecodeError(f"The source text does not compile: {error}.") from None
    return code
