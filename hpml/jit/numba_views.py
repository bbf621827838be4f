"""Inspect a function compiled by Numba: signatures, compile times, types and instructions."""

from __future__ import annotations

import re
from typing import Any

from hpml.base.errors import describe
from hpml.base.tables import Table

from .errors import JitError


def signatures(function: Any) -> Table:
    """Return the compiled signatures of a Numba function, with their compile times.

    Args:
        function: the result of ``numba.njit``.

    Returns:
        A table with the columns ``signature``, ``compiled in s`` (Numba's own measurement) and
        ``from``: ``"source"``, or ``"cache"`` if an earlier process compiled it.

    Raises:
        JitError: it is not a Numba function.

    >>> import numba
    >>> double = numba.njit(lambda x: x + x)
    >>> double(1), double(1.5)
    (2, 3.0)
    >>> signatures(double).column("signature")
    ('(int64)', '(float64)')
    """
    function = _numba_function(function)
    hits = sum(function.stats.cache_hits.values())
    rows = []
    for types in function.signatures:
        metadata = function.get_metadata(types)
        timers = metadata.get("timers") if metadata else None
        text = "(" + ", ".join(map(str, types)) + ")"
        seconds = timers["compiler_lock"] if timers else None
        rows.append((text, seconds, "source" if timers or not hits else "cache"))
    return Table(
        ("signature", "compiled in s", "from"), rows, title=f"{function.py_func.__name__}, compiled"
    )


def inferred_types(function: Any, *arguments: Any) -> Table:
    """Return the type that Numba inferred for each variable of a function.

    Args:
        function: the result of ``numba.njit``; it is compiled for the arguments if necessary.
        arguments: example arguments; without any, the first signature is shown.

    Raises:
        JitError: it is not a Numba function, has no signature yet, or cannot be compiled for the
            arguments.

    >>> import numba
    >>> @numba.njit
    ... def mean(a):
    ...     total = 0.0
    ...     for value in a:
    ...         total += value
    ...     return total / len(a)
    >>> import numpy as np
    >>> table = inferred_types(mean, np.ones(3, np.float32))
    >>> dict(zip(table.column("variable"), table.column("type")))["total"]
    'float64'
    """
    function = _numba_function(function)
    signature = _signature(function, arguments)
    annotation = _annotation(function, signature)
    found: dict[str, str] = {}
    for variable, kind in annotation.typemap.items():
        name = re.match(r"(?:arg\.)?([A-Za-z_]\w*)(?:\.\d+)?$", variable)
        if name is not None and not variable.startswith("$"):
            types = found.setdefault(name[1], "").split(" or ")
            text = str(kind)
            if text not in types:
                found[name[1]] = " or ".join([t for t in types if t] + [text])
    rows = [(name, found[name]) for name in sorted(found)]
    return Table(("variable", "type"), rows, title=f"{function.py_func.__name__}, types inferred")


def instructions(function: Any, *arguments: Any, kind: str = "assembler") -> str:
    """Return the code that Numba compiled, without the wrapper for calls from Python.

    Args:
        function: the result of ``numba.njit``.
        arguments: example arguments; without any, the first signature is shown.
        kind: ``"llvm"``, the compiler's intermediate representation, or ``"assembler"``.

    Raises:
        JitError: it is not a Numba function, has no signature yet, or cannot be compiled for the
            arguments; or `kind` is another one.

    >>> import numba
    >>> double = numba.njit(lambda x: x + x)
    >>> "fadd double" in instructions(double, 1.5, kind="llvm")
    True
    """
    if kind not in ("llvm", "assembler"):
        raise JitError(
            object="kind",
            expected="'llvm' or 'assembler'",
            received=describe(kind),
            remedy="Pass one of the two.",
        )
    function = _numba_function(function)
    signature = _signature(function, arguments)
    _annotation(function, signature)
    if kind == "llvm":
        text = function.inspect_llvm(signature)
        defined = re.findall(r"^define [^\n]*\{\n.*?^\}", text, re.MULTILINE | re.DOTALL)
        bodies = [part for part in defined if "cpython" not in part.partition("{")[0]]
        return "\n\n".join(bodies[:1] or [text])
    return _body(function.inspect_asm(signature))


_FUNCTION = re.compile(
    # macOS puts an underscore before each name. The wrapper for Python is _ZN7cpython.
    r"^_?_ZN(?!7cpython)\w+:[^\n]*\n(.*?)"
    # What follows a function: of Linux a label, of macOS and Windows a directive or nothing.
    r"(?=^\.?Lfunc_end\d+:|^\s*\.(?:cfi_endproc|seh_endproc|globl|def|section)\b|\Z)",
    re.MULTILINE | re.DOTALL,
)
_NO_INSTRUCTION = re.compile(r"\s*\.(?!L)|Lloh\d+:|\s*$")
"""Directives, labels for the linker of macOS, and empty lines."""


def _body(assembler: str) -> str:
    """Return the instructions and labels of the function in the assembler of any system."""
    found = _FUNCTION.search(assembler)
    lines = (found[1] if found else assembler).splitlines()
    return "\n".join(line for line in lines if not _NO_INSTRUCTION.match(line))


def _signature(function: Any, arguments: tuple[Any, ...]) -> Any:
    if arguments:
        import numba

        try:
            types = tuple(numba.typeof(argument) for argument in arguments)  # type: ignore[no-untyped-call]
            function.compile(types)
        except (numba.core.errors.NumbaError, TypeError, ValueError) as error:
            reason = next((line for line in str(error).splitlines() if line.strip()), "")
            raise JitError(
                object=f"arguments for {function.py_func.__name__}",
                expected="those of a call that Numba can compile",
                received=f"{', '.join(map(describe, arguments))} ({reason.strip()})",
                remedy="Pass the arguments of a call that works.",
            ) from error
        return types
    if not function.signatures:
        raise JitError(
            object=function.py_func.__name__,
            expected="a function that was compiled",
            received="one that was not called yet",
            remedy="Call it first, or pass example arguments.",
        )
    return function.signatures[0]


def _annotation(function: Any, signature: Any) -> Any:
    """Return Numba's type annotation of a compiled signature, which its cache does not store."""
    annotation = function.overloads[signature].type_annotation
    if not hasattr(annotation, "typemap"):
        raise JitError(
            object=function.py_func.__name__,
            expected="types and instructions of its compilation",
            received="a function from Numba's cache, which does not store them",
            remedy="Define it without cache=True.",
        )
    return annotation


def _numba_function(function: Any) -> Any:
    if not all(hasattr(function, name) for name in ("py_func", "overloads", "inspect_llvm")):
        raise JitError(
            object="function",
            expected="a function compiled by Numba",
            received=describe(function),
            remedy="Pass what numba.njit(function) returns.",
        )
    return function
