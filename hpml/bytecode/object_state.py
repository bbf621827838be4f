"""Describe the state of an object, without running code of the program.

`States` serves to call the ``__repr__`` of an object again only if the object has changed.
"""

from __future__ import annotations

import sys
from collections import deque
from enum import EnumMeta
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import arguments_of, flags, mro, namespace_of

_MOST = 200
"""Most parts of a state; larger objects count as changed each time."""

_MOST_BYTES = 2000

_VALUES = frozenset({int, str, bytes, bool, type(None), range, type(...)})
_UNCHANGING = (FunctionType, BuiltinFunctionType, MethodType, CodeType, ModuleType)
_BEHAVIOUR = (
    *(FunctionType, BuiltinFunctionType, property, classmethod, staticmethod),
    *(MemberDescriptorType, GetSetDescriptorType),
)
_CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset, deque, dict)
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: classes written in Python, and some of C


class States:
    """Finds out whether objects have changed."""

    def __init__(self) -> None:
        self._classes: dict[int, _Class] = {}

    def of(self, root: object) -> tuple[object, ...] | None:
        """Return a value that differs after `root` has changed; None if the object is too large.

        The state consists of the attributes and items of the object, those of the objects that it
        refers to, and the attributes of their classes. Global variables are no part of it.
        """
        parts: list[object] = []
        seen: set[int] = set()
        pending: list[object] = [root]
        while pending:
            if len(parts) > _MOST:
                return None
            value = pending.pop()
            kind = type(value)
            if kind in _VALUES:
                parts += (kind, value)
            elif kind is float or kind is complex:  # 0.0 equals -0.0
                parts += (kind, repr(value))
            else:
                parts += (id(value), id(kind))
                if id(value) not in seen and kind not in _UNCHANGING:
                    seen.add(id(value))
                    if not _add_items(value, kind, parts, pending):
                        return None
                    self._add_attributes(value, kind, pending, seen)
        return tuple(parts)

    def _add_attributes(
        self, value: object, kind: type, pending: list[object], seen: set[int]
    ) -> None:
        """Add the attributes of `value`, its slots, and the data attributes of its class."""
        attributes = _attributes_of(value)
        if type(attributes) is dict and attributes:
            for pair in list(attributes.items()):
                pending += pair
        known = self._classes.get(id(kind))
        if known is None or known.size != known.current_size():
            known = self._classes[id(kind)] = _Class(kind)
        for slot in known.slots:
            try:
                pending.append(slot.__get__(value))
            except AttributeError:
                pending.append(NULL)
        if known.data and id(kind) not in seen:
            seen.add(id(kind))
            pending += [namespace.get(name, NULL) for namespace, name in known.data]


class _Class:
    """The slots of a class, and its attributes that are data, with those of its bases."""

    def __init__(self, kind: type) -> None:
        self.kind = kind  # kept, so that its `id` is of no other class
        self.slots: list[MemberDescriptorType] = []
        self.data: list[tuple[Any, str]] = []
        self.namespaces = [
            # The members of an enumeration do not change.
            namespace_of(owner)
            for owner in mro(kind) or ()
            if flags(owner) & _HEAP_TYPE and not issubclass(type(owner), EnumMeta)
        ]
        self.size = self.current_size()
        for namespace in self.namespaces:
            for name, found in list(namespace.items()):
                if type(found) is MemberDescriptorType:
                    self.slots.append(found)
                elif type(found) not in _BEHAVIOUR and not name.startswith("__"):
                    self.data.append((namespace, name))

    def current_size(self) -> int:
        return sum(map(len, self.namespaces))


def _add_items(value: Any, kind: type, parts: list[object], pending: list[object]) -> bool:
    """Add the items of `value`: to `parts` as they are, to `pending` for a look.

    Return whether that was possible; False if there are too many.
    """
    if kind is object or issubclass(kind, type):
        return True
    for base in _CONTAINERS:
        if issubclass(kind, base):
            size = base.__len__(value)
            if size > _MOST:
                return False
            parts.append(size)
            if base is dict:
                for pair in list(dict.items(value)):
                    pending += pair
            else:
                pending += list(base.__iter__(value))
            return True
    if issubclass(kind, bytearray):
        parts.append(bytes(bytearray.__getitem__(value, slice(_MOST_BYTES))))
    elif issubclass(kind, BaseException):
        pending.append(arguments_of(value))
    else:
        return _add_numbers(value, kind, parts)
    return True


def _add_numbers(value: Any, kind: type, parts: list[object]) -> bool:
    """Add the numbers of a small array, or the count of changes of a tensor, if there is one."""
    array: Any = getattr(sys.modules.get("numpy"), "ndarray", None)
    tensor: Any = getattr(sys.modules.get("torch"), "Tensor", None)
    if array is not None and issubclass(kind, array):
        if array.nbytes.__get__(value) > _MOST_BYTES:
            return False
        parts.append(array.tobytes(value))
    elif kind is tensor:
        if value.is_inference():  # it counts no changes
            return False
        parts.append(value._version)
    return True


def _attributes_of(value: object) -> Any:
    try:
        return object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001 - a class may define a property of this name
        return None
