"""Read the fields of an object's memory, byte by byte.

The layouts are those of the C structures in CPython's ``Include/cpython``, for 64-bit builds; from
3.11 to 3.15 only the size word of int changed (3.12).
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpml.base.errors import describe

_SHOWN_BYTES = 24
"""Most bytes of an int's digits that are shown."""

_START = object.__basicsize__
"""Offset of the value, after the reference count and the type."""


@dataclass(frozen=True)
class Field:
    """One field in memory: its bytes, their meaning, and an independent check of that meaning.

    `offset` counts from the object's address or, if `via_pointer`, from the address in one of its
    pointers. `data` may be only the first of the field's `size` bytes.
    """

    offset: int
    data: bytes
    size: int
    name: str
    value: str
    check: str = ""
    agrees: bool = True
    via_pointer: bool = False


def read(address: int, size: int) -> bytes:
    """Return `size` bytes of this process's memory, which must be readable."""
    return ctypes.string_at(address, size)


def value_fields(obj: object) -> Iterator[Field]:
    """Yield the fields after reference count and type of an int, bool, float, list or tensor."""
    kind = type(obj)
    torch: Any = sys.modules.get("torch")  # without importing it
    if isinstance(obj, int) and kind in (int, bool):
        yield from _int(obj)
    elif isinstance(obj, float) and kind is float:
        data = read(id(obj) + _START, 8)
        (value,) = struct.unpack("<d", data)
        same = data == struct.pack("<d", obj)
        yield Field(_START, data, 8, "ob_fval", f"{value!r}, a double of C", "the number", same)
    elif isinstance(obj, list) and kind is list:
        yield from _list(obj)
    elif torch is not None and isinstance(obj, getattr(torch, "Tensor", ())):
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
    sign_text = {1: "positive", 0: "zero", -1: "negative"}[sign]
    text = f"{count} digit{'' if count == 1 else 's'}, {sign_text}"
    is_sign = sign == (obj > 0) - (obj < 0)
    yield Field(_START, word, 8, name, text, "the sign", is_sign)
    # Zero has no digit, but memory for one.
    data = read(id(obj) + _START + 8, 4 * max(count, 1))
    digits = struct.unpack(f"<{max(count, 1)}I", data)
    value = sign * sum(digit << (sys.int_info.bits_per_digit * k) for k, digit in enumerate(digits))
    parts = " + ".join(
        f"{digit}·2^{30 * index}" if index else f"{digit}" for index, digit in enumerate(digits[:4])
    )
    text = parts + (" + …" if count > 4 else "")
    shown = data[:_SHOWN_BYTES]
    yield Field(_START + 8, shown, len(data), "ob_digit", text, "the number", value == obj)


def _list(obj: list[object]) -> Iterator[Field]:
    data = read(id(obj) + _START, 24)
    length, items, allocated = struct.unpack("<qQq", data)
    text = f"{length} item" + "s" * (length != 1)
    yield Field(_START, data[:8], 8, "ob_size", text, "len(obj)", length == len(obj))
    text = f"→ {items:#x}" if items else "null: no items allocated yet"
    yield Field(_START + 8, data[8:16], 8, "ob_item", text)
    same = 8 * allocated == sys.getsizeof(obj) - sys.getsizeof([])
    text = f"capacity {allocated}"
    yield Field(_START + 16, data[16:], 8, "allocated", text, "getsizeof", same)
    for index in range(min(length, 3)):
        pointer = read(items + 8 * index, 8)
        same = int.from_bytes(pointer, "little") == id(obj[index])
        text = f"→ {type(obj[index]).__name__} {describe(obj[index], 20)}"
        yield Field(8 * index, pointer, 8, f"item {index}", text, f"id(obj[{index}])", same, True)


def _tensor(obj: Any) -> Iterator[Field]:
    for offset in range(_START, type(obj).__basicsize__, 8):
        word = read(id(obj) + offset, 8)
        pointer = int.from_bytes(word, "little")
        if pointer == obj._cdata:
            text = f"→ {pointer:#x}, the tensor in C++"
            yield Field(offset, word, 8, "cdata", text, "obj._cdata")
        else:
            text = f"→ {pointer:#x}" if pointer else "null (hooks, names)"
            yield Field(offset, word, 8, f"word {offset // 8}", text)
    code = {"torch.float32": "f", "torch.int64": "q"}.get(str(obj.dtype))
    if code and obj.device.type == "cpu" and obj.is_contiguous():
        size = struct.calcsize(code)
        for index, number in enumerate(obj.detach().flatten()[:3].tolist()):
            data = read(obj.data_ptr() + index * size, size)
            text = f"{number:g}, {str(obj.dtype).removeprefix('torch.')}"
            same = struct.pack(f"<{code}", number) == data
            name = f"element {index}"
            yield Field(index * size, data, size, name, text, "tolist()", same, True)
