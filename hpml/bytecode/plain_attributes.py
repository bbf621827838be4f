"""Read and write attributes of exceptions and classes without running code of the program.

An exception class may define ``__setattr__`` (a frozen dataclass does), a metaclass
``__getattribute__``. CPython bypasses both and accesses the fields of the C structure.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Protocol

from hpml.bytecode.null import NULL


class _Slot(Protocol):
    def __get__(self, owner: Any, kind: Any = None) -> Any: ...
    def __set__(self, owner: Any, value: Any) -> None: ...


_TRACEBACK: _Slot = BaseException.__dict__["__traceback__"]
_CONTEXT: _Slot = BaseException.__dict__["__context__"]
_ARGUMENTS: _Slot = BaseException.__dict__["args"]
_VALUE: _Slot = StopIteration.__dict__["value"]
_MRO: _Slot = type.__dict__["__mro__"]
_FLAGS: _Slot = type.__dict__["__flags__"]
_NAME: _Slot = type.__dict__["__name__"]
_DICT: _Slot = type.__dict__["__dict__"]

traceback_of = _TRACEBACK.__get__
set_traceback = _TRACEBACK.__set__
context_of = _CONTEXT.__get__
set_context = _CONTEXT.__set__
arguments_of = _ARGUMENTS.__get__
returned_by = _VALUE.__get__
"""The value that a generator returned, from its `StopIteration`."""

mro = _MRO.__get__
flags = _FLAGS.__get__
name_of = _NAME.__get__
namespace_of = _DICT.__get__


def in_class(kind: type, name: str) -> Any:
    """Return the unbound attribute `name` of a class or its bases, or NULL."""
    # Some C types never pass PyType_Ready, and have no MRO (3.11).
    for owner in mro(kind) or (object,):
        found = namespace_of(owner).get(name, NULL)
        if found is not NULL:
            return found
    return NULL


class unchanged:  # noqa: N801 - reads as a word in a `with` statement
    """Keep `error`, and the exception handled `around` it, unchanged while `error` is reraised."""

    __slots__ = ("_before", "_error", "_link")

    def __init__(self, error: BaseException, around: BaseException | None) -> None:
        self._error = error
        self._before: tuple[BaseException | None, TracebackType | None]
        self._before = context_of(error), traceback_of(error)
        self._link = None if around is None else link_to(error, around)

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Undo the changes made by raising."""
        set_context(self._error, self._before[0])
        set_traceback(self._error, self._before[1])
        if self._link is not None:
            set_context(self._link, self._error)


def link_to(error: BaseException, around: BaseException) -> BaseException | None:
    """Return the exception in the context chain of `around` at which CPython would cut a cycle."""
    if around is error:
        return None
    seen: set[int] = set()
    link: BaseException | None = around
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        following = context_of(link)
        if following is error:
            return link
        link = following
    return None
