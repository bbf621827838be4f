"""What a call is made of while it runs: its variables, its value stack, and where it stands.

A `Frame` is one call of one function. Its variables lie in numbered *slots*, as in CPython: first
the parameters and other local variables, then the cells it shares with inner functions, then the
cells it got from outer ones. A slot without a value, and the marker that calls push below a
function, is `NULL`.

Handlers of instructions get a frame and change it. Most return nothing; the few after which another
frame runs return a signal: `Enter`, `Return`, `Yield`, or `Reraise`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpml.bytecode.program import Operation, Program
    from hpml.bytecode.strand import Strand

__all__ = ["NULL", "Enter", "Frame", "Handler", "Reraise", "Return", "Signal", "Yield"]


class _Null:
    """The C pointer to nothing: no value in this slot, or no ``self`` for this call."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NULL"


NULL: Any = _Null()


class Frame:
    """One call of a function, from its first instruction to its return.

    Attributes:
        name: the qualified name of the function.
        short_name: its name.
        code: its code object.
        program: the decoded instructions of `code`.
        globals: the variables of its module.
        builtins: where names are looked up after that.
        namespace: the dictionary that a class body fills; None in a function.
        closure: the cells of outer functions' variables.
        slots: the local variables and cells, by number.
        stack: the value stack; its last item is the top.
        index: the number of the next operation in `program`.
        current: the operation that is being executed, or was last.
        strand: what runs this frame.
        finish: turns the returned value into the value of the call; None if that is the same.
        snapshot: what ``locals()`` gave, which before 3.13 is one dictionary for the whole call.
    """

    __slots__ = (
        "builtins",
        "closure",
        "code",
        "current",
        "finish",
        "globals",
        "index",
        "keyword_names",
        "name",
        "namespace",
        "program",
        "short_name",
        "slots",
        "snapshot",
        "stack",
        "strand",
    )

    def __init__(
        self,
        function: FunctionType,
        program: Program,
        slots: list[Any],
        strand: Strand,
        *,
        namespace: Any = None,
        finish: Callable[[Any], Any] | None = None,
    ) -> None:
        self.code: CodeType = function.__code__
        self.name = function.__qualname__
        self.short_name = function.__name__
        self.program = program
        self.globals = function.__globals__
        self.builtins: dict[str, Any] = getattr(function, "__builtins__", vars(builtins))
        self.namespace = namespace
        self.closure: tuple[CellType, ...] = function.__closure__ or ()
        self.slots = slots
        self.stack: list[Any] = strand.execution.new_stack()
        self.index = 0
        self.current: Operation = program.operations[0]
        self.keyword_names: tuple[str, ...] = ()  # left by KW_NAMES for the next CALL
        self.strand = strand
        self.finish = finish
        self.snapshot: dict[str, Any] = {}

    def variables(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the local variables and the cells' contents that have a value, by name."""
        local: dict[str, Any] = {}
        cells: dict[str, Any] = {}
        for name, value in zip(self.program.slot_names, self.slots, strict=True):
            if value is NULL:
                continue
            if type(value) is CellType and name in self.program.cell_names:
                try:
                    cells[name] = value.cell_contents
                except ValueError:
                    continue
            else:
                local[name] = value
        if isinstance(self.namespace, dict):  # a metaclass may have given something else
            local.update(self.namespace)
        return local, cells

    def named_variables(self) -> dict[str, Any]:
        """Return all variables that have a value, by name, as ``locals()`` does."""
        local, cells = self.variables()
        return {name: value for name, value in (local | cells).items() if isinstance(name, str)}


@dataclass(frozen=True, slots=True)
class Enter:
    """A function is called: `frame` runs next."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Return:
    """The frame is done; `value` goes to whoever called it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Yield:
    """The generator pauses; `value` goes to whoever resumed it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Reraise:
    """`error` goes on; its traceback has a line for this frame already."""

    error: BaseException


Signal = Enter | Return | Yield | Reraise
Handler = Callable[[Frame, "Operation"], Signal | None]
