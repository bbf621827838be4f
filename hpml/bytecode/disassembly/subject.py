"""Find the code object of a function, or say in the error what to pass instead."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CodeType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    MethodType,
)

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
    if isinstance(value, staticmethod | classmethod):
        return subject_of(value.__func__)
    if isinstance(value, MethodType):
        inner = value.__func__
        if isinstance(inner, FunctionType):
            return Subject(f"method {inner.__qualname__}", inner.__code__)
        return subject_of(inner)
    if isinstance(value, FunctionType):
        return Subject(f"function {value.__qualname__}", value.__code__)
    if isinstance(value, GeneratorType):
        return Subject(f"generator {value.__qualname__}", value.gi_code)
    if isinstance(value, CoroutineType):
        return Subject(f"coroutine {value.__qualname__}", value.cr_code)
    if isinstance(value, AsyncGeneratorType):
        return Subject(f"generator {value.__qualname__}", value.ag_code)
    raise BytecodeError(_why_not(value))


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


def _why_not(value: object) -> str:
    wanted = "Expected a function or method written in Python, a code object, or source text."
    if isinstance(value, type):
        methods = [name for name, part in vars(value).items() if isinstance(part, FunctionType)]
        own = ", ".join(f"{value.__name__}.{name}" for name in methods[:4])
        return f"The class {value.__name__} is not one function. " + (
            f"Pass one of its methods: {own}." if own else f"It has no method in Python. {wanted}"
        )
    if isinstance(value, BuiltinFunctionType) or type(value).__name__ in (
        "method_descriptor",
        "wrapper_descriptor",
        "method-wrapper",
        "classmethod_descriptor",
    ):
        name = getattr(value, "__name__", describe(value))
        return f"{name} has no bytecode: it is a builtin, compiled from C. {wanted}"
    inner = getattr(value, "func", None) or getattr(value, "__wrapped__", None)
    if inner is not None:
        name = "func" if hasattr(value, "func") else "__wrapped__"
        return f"{describe(value)} calls another function. Pass that one, its attribute {name}."
    if callable(value):
        return f"{describe(value)} is an object that can be called. Pass type(value).__call__."
    return f"{describe(value)}, of type {type(value).__name__}, is not code. {wanted}"
