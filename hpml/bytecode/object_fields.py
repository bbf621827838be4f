"""Where CPython keeps what: the fields of an object's memory, read byte by byte.

The layouts are those of the C structures in CPython's ``Include/cpython``, for 64-bit builds.
3.12 gave int another second word; a list, a float and the first two words of everything stayed.
What can be known another way is checked against it.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpml.base.errors import describe

_SHOWN = 24
"""Bytes of digits that are shown; the others are only counted."""

_START = object.__basicsize__
"""Where the value begins: behind reference count and type."""


@dataclass(frozen=True)
class Field:
    """One field in memory: its place, its bytes, what they say, and what else says so.

    `place` counts from the object's address, or where `elsewhere` from where a pointer in it leads;
    of a field of `size` bytes `data` has the first ones.
    """

    place: int
    data: bytes
    size: int
    name: str
    value: str
    check: str = ""
    agrees: bool = True
    elsewhere: bool = False


def read(address: int, size: int) -> bytes:
    """Return `size` bytes of this process's memory, which must be its own to read."""
    return ctypes.string_at(address, size)


def is_tensor(obj: object) -> bool:
    """Return whether `obj` is a tensor of PyTorch, without importing PyTorch to find out."""
    torch: Any = sys.modules.get("torch")
    return torch is not None and isinstance(obj, getattr(torch, "Tensor", ()))


def value_fields(obj: object) -> Iterator[Field]:
    """Yield the fields that follow reference count and type, for the types that are known here."""
    kind = type(obj)
    if isinstance(obj, int) and kind in (int, bool):
        yield from _int(obj)
    elif isinstance(obj, float) and kind is float:
        data = read(id(obj) + _START, 8)
        (value,) = struct.unpack("<d", data)
        same = data == struct.pack("<d", obj)
        yield Field(_START, data, 8, "ob_fval", f"{value!r}, a double of C", "the number", same)
    elif isinstance(obj, list) and kind is list:
        yield from _list(obj)
    elif is_tensor(obj):
        yield from _tensor(obj)


def _int(obj: int) -> Iterator[Field]:
    word = read(id(obj) + _START, 8)
    if sys.version_info >= (3, 12):
        tag = int.from_bytes(word, "little")
        count, sign = tag >> 3, (1, 0, -1)[tag & 3]
        name = "lv_tag"
    else:
        size = int.from_bytes(word, "little", signed=True)
        count, sign = abs(size), (size > 0) - (size < 0)
        name = "ob_size"
    word_says = {1: "positive", 0: "zero", -1: "negative"}[sign]
    text = f"{count} digit{'' if count == 1 else 's'}, {word_says}"
    is_sign = sign == (obj > 0) - (obj < 0)
    yield Field(_START, word, 8, name, text, "the sign", is_sign)
    # Zero has no digit, but room for one.
    data = read(id(obj) + _START + 8, 4 * max(count, 1))
    digits = struct.unpack(f"<{max(count, 1)}I", data)
    value = sign * sum(digit << (sys.int_info.bits_per_digit * k) for k, digit in enumerate(digits))
    parts = " + ".join(
        f"{digit}·2^{30 * place}" if place else f"{digit}" for place, digit in enumerate(digits[:4])
    )
    text = parts + (" + …" if count > 4 else "")
    yield Field(_START + 8, data[:_SHOWN], len(data), "ob_digit", text, "the number", value == obj)


def _list(obj: list[object]) -> Iterator[Field]:
    data = read(id(obj) + _START, 24)
    length, items, allocated = struct.unpack("<qQq", data)
    text = f"{length} item" + "s" * (length != 1)
    yield Field(_START, data[:8], 8, "ob_size", text, "len(obj)", length == len(obj))
    text = f"→ {items:#x}" if items else "nowhere: no room for items yet"
    yield Field(_START + 8, data[8:16], 8, "ob_item", text)
    same = 8 * allocated == sys.getsizeof(obj) - sys.getsizeof([])
    text = f"room for {allocated}"
    yield Field(_START + 16, data[16:], 8, "allocated", text, "getsizeof", same)
    for place in range(min(length, 3)):
        pointer = read(items + 8 * place, 8)
        same = int.from_bytes(pointer, "little") == id(obj[place])
        text = f"→ {type(obj[place]).__name__} {describe(obj[place], 20)}"
        yield Field(8 * place, pointer, 8, f"item {place}", text, f"id(obj[{place}])", same, True)


def _tensor(obj: Any) -> Iterator[Field]:
    for place in range(_START, type(obj).__basicsize__, 8):
        word = read(id(obj) + place, 8)
        pointer = int.from_bytes(word, "little")
        if pointer == obj._cdata:
            where = f"→ {pointer:#x}, the tensor in C++"
            yield Field(place, word, 8, "cdata", where, "obj._cdata")
        else:
            text = f"→ {pointer:#x}" if pointer else "nothing (hooks, names)"
            yield Field(place, word, 8, f"word {place // 8}", text)
    code = {"torch.float32": "f", "torch.int64": "q"}.get(str(obj.dtype))
    if code and obj.device.type == "cpu" and obj.is_contiguous():
        size = struct.calcsize(code)
        for place, number in enumerate(obj.detach().flatten()[:3].tolist()):
            piece = read(obj.data_ptr() + place * size, size)
            text = f"{number:g}, {str(obj.dtype).removeprefix('torch.')}"
            same = struct.pack(f"<{code}", number) == piece
            name = f"element {place}"
            yield Field(place * size, piece, size, name, text, "tolist()", same, True)
