"""Where CPython keeps what: the fields of an object's memory, read byte by byte.

The layouts are those of the C structures in CPython's ``Include/cpython``, for 64-bit builds.
3.12 gave int another second word and took a pointer out of str; a list, a float and
the first two words of everything stayed. What can be known another way is checked against it.
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
"""Bytes of text or digits that are shown; the others are only counted."""

_START = object.__basicsize__
"""Where the value begins: behind reference count and type."""

_KINDS = {1: "1 byte a character", 2: "2 bytes a character", 4: "4 bytes a character"}


@dataclass(frozen=True)
class Field:
    """One field in memory.

    Attributes:
        place: offset in bytes from the object's address; counted from the place that a pointer
            leads to where `elsewhere`.
        data: its bytes, as they lie there; of a long field the first ones.
        size: how many bytes it has.
        name: the field's name in CPython's source.
        value: what the bytes say.
        check: what else says so: ``"id(type(obj))"``; empty where nothing does.
        agrees: whether the two say the same.
        elsewhere: whether it lies outside of the object, where a pointer in it leads.
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
    elif isinstance(obj, str) and kind is str:
        yield from _str(obj)
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
    length, items, allocated = struct.unpack("<qQq", read(id(obj) + _START, 24))
    data = read(id(obj) + _START, 24)
    yield Field(
        _START,
        data[:8],
        8,
        "ob_size",
        f"{length} item" + "s" * (length != 1),
        "len(obj)",
        length == len(obj),
    )
    where = f"→ {items:#x}" if items else "nowhere: no room for items yet"
    yield Field(_START + 8, data[8:16], 8, "ob_item", where)
    room = sys.getsizeof(obj) - sys.getsizeof([])
    yield Field(
        _START + 16,
        data[16:],
        8,
        "allocated",
        f"room for {allocated}",
        "getsizeof",
        8 * allocated == room,
    )
    for place in range(min(length, 3)):
        pointer = read(items + 8 * place, 8)
        same = int.from_bytes(pointer, "little") == id(obj[place])
        text = f"→ {type(obj[place]).__name__} {describe(obj[place], 20)}"
        yield Field(8 * place, pointer, 8, f"item {place}", text, f"id(obj[{place}])", same, True)


def _str(obj: str) -> Iterator[Field]:
    old = sys.version_info < (3, 12)
    length = int.from_bytes(read(id(obj) + _START, 8), "little", signed=True)
    text = f"{length} character" + "s" * (length != 1)
    same = length == len(obj)
    yield Field(_START, read(id(obj) + _START, 8), 8, "length", text, "len(obj)", same)
    known = int.from_bytes(read(id(obj) + _START + 8, 8), "little", signed=True)
    text = "not asked for yet" if known == -1 else f"{known:#x}"
    same = known in (-1, hash(obj))
    yield Field(
        _START + 8,
        read(id(obj) + _START + 8, 8),
        8,
        "hash",
        text,
        "" if known == -1 else "hash(obj)",
        same,
    )
    data = read(id(obj) + _START + 16, 8)
    state = data[0]
    kind, compact, ascii_only = state >> 2 & 7, bool(state & 32), bool(state & 64)
    text = f"{'ASCII' if ascii_only else 'not ASCII'}, {_KINDS.get(kind, 'unknown')}"
    text += ", interned" if state & 3 else ""
    yield Field(_START + 16, data, 8, "state", text, "isascii()", ascii_only == obj.isascii())
    place = _START + 24
    # The text again as wide characters (until 3.11) and as UTF-8: both made when C asks for it.
    extra = ["wstr"] if old else []
    extra += [] if ascii_only else ["utf8_length", "utf8"]
    extra += ["wstr_length"] if old and not ascii_only else []
    for name in extra:
        word = read(id(obj) + place, 8)
        number = int.from_bytes(word, "little")
        text = str(number) if name.endswith("length") else f"→ {number:#x}"
        yield Field(place, word, 8, name, text if number else "none made yet")
        place += 8
    if not compact:
        return
    size = kind * (length + 1)
    data = read(id(obj) + place, size)
    codec = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}.get(kind, "latin-1")
    back = data[:-kind].decode(codec, "surrogatepass")
    text = f"{describe(back, 30)} and a zero"
    yield Field(place, data[:_SHOWN], size, "the text", text, "the text", back == obj)


def _tensor(obj: Any) -> Iterator[Field]:
    words = [read(id(obj) + place, 8) for place in range(_START, type(obj).__basicsize__, 8)]
    for place, word in enumerate(words):
        pointer = int.from_bytes(word, "little")
        if pointer == obj._cdata:
            where = f"→ {pointer:#x}, the tensor in C++"
            yield Field(_START + 8 * place, word, 8, "cdata", where, "obj._cdata")
        else:
            text = f"→ {pointer:#x}" if pointer else "nothing (hooks, names)"
            yield Field(_START + 8 * place, word, 8, f"word {_START // 8 + place}", text)
    codes = {"torch.float32": "f", "torch.float64": "d", "torch.int64": "q", "torch.int32": "i"}
    code = codes.get(str(obj.dtype))
    if code and obj.device.type == "cpu" and obj.is_contiguous() and obj.numel():
        size = struct.calcsize(code)
        data = read(obj.data_ptr(), min(obj.numel(), 3) * size)
        first = obj.detach().flatten()[:3].tolist()
        for place, (number,) in enumerate(struct.iter_unpack(f"<{code}", data)):
            piece = data[place * size : (place + 1) * size]
            text = f"{number:g}, {str(obj.dtype).removeprefix('torch.')}"
            same = struct.pack(f"<{code}", first[place]) == piece
            name = f"element {place}"
            yield Field(place * size, piece, size, name, text, "tolist()", same, True)
