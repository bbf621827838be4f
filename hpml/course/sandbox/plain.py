"""Encode values as plain data, the only form in which a result leaves the worker.

A value of exactly a built-in type becomes tagged JSON, so a tuple stays a tuple and 1 differs from
1.0. Anything else becomes an `Opaque`, the name of a type and a shortened text.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

DEEPEST = 100
MOST_ITEMS = 1_000_000
MOST_BITS = 400_000
_TEXT = 200
_KINDS = "biufc"  # of numpy: bool, integers, floats, complex


class PlainError(ValueError):
    """The data was not written by `encode`."""


class _TooLargeError(Exception):
    pass


@dataclass(frozen=True)
class Array:
    """An array or a tensor by value: the numbers in C order, little-endian."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes
    library: str

    def numbers(self) -> list[Any]:
        """Return the numbers; TypeError or ValueError if the bytes do not fit the dtype."""
        import numpy  # installed where arrays are judged

        if self.dtype == "bfloat16":  # the upper half of a float32
            halves = numpy.frombuffer(self.data, "<u2").astype("<u4") << 16
            return list(halves.view("<f4").tolist())
        return list(numpy.frombuffer(self.data, numpy.dtype(self.dtype).newbyteorder("<")).tolist())

    def number(self) -> bool | int | float | None:
        """Return the value of a NumPy scalar; None for other arrays."""
        if self.shape or self.library != "numpy" or self.dtype[:1] not in "bif":
            return None
        with contextlib.suppress(TypeError, ValueError):
            (found,) = self.numbers()
            return found if type(found) in (bool, int, float) else None
        return None

    def __repr__(self) -> str:
        if (number := self.number()) is not None:
            return f"numpy.{self.dtype}({number})"
        return f"<{self.library} {self.dtype} of shape {self.shape}>"


@dataclass(frozen=True)
class Opaque:
    """A value that is not plain: the name of its class and its shortened ``repr``."""

    type: str
    text: str

    def __repr__(self) -> str:
        return self.text


def encode(value: object) -> Any:
    """Return `value` as JSON data; what is too deep or not built in becomes an `Opaque`."""
    try:
        return _Encoder().encode(value, 0)
    except _TooLargeError:
        return _opaque(type_name(value), "too large")
    except Exception as error:  # noqa: BLE001 - e.g. a thread changes it meanwhile
        return _opaque(type_name(value), f"cannot be read: {type_name(error)}")


def decode(data: Any) -> Any:
    """Return the value that `encode` wrote."""
    try:
        return _decode(data, 0)
    except (TypeError, ValueError, KeyError, RecursionError, OverflowError) as error:
        raise PlainError(f"Not a plain value: {error}.") from None


def as_plain(value: object) -> Any:
    """Return a copy of `value` as another process receives it, without shared parts.

    There is one set of rules for what becomes of a value, whether or not it leaves the process.

    >>> as_plain((1, range(3)))
    (1, range(0, 3))
    >>> type(as_plain(range(3))).__name__
    'Opaque'
    """
    return decode(encode(value))


def type_name(value: object) -> str:
    """Return the name of a value's class without running code of the class."""
    kind = type(value)
    # Not kind.__qualname__: a metaclass may override it.
    name = str(type.__dict__["__qualname__"].__get__(kind))[:_TEXT]
    module = type.__dict__["__module__"].__get__(kind)
    if type(module) is not str or module in ("builtins", "__main__"):
        return name
    return f"{module}.{name}"[:_TEXT]


class _Encoder:
    """Encodes one value and counts the data written."""

    def __init__(self) -> None:
        self._items = 0
        self._above: set[int] = set()

    def encode(self, value: Any, depth: int) -> Any:
        self._items += 1
        if self._items > MOST_ITEMS:
            raise _TooLargeError
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return self._integer(value)
        if kind is float:
            return {"float": value.hex()}
        if kind is complex:
            return {"complex": [value.real.hex(), value.imag.hex()]}
        if kind is str:
            return self._string(value)
        if kind is bytes:
            return {"bytes": base64.b64encode(value).decode("ascii")}
        if kind in (list, tuple, dict, set, frozenset):
            return self._container(value, kind, depth)
        if kind is Opaque:
            return _opaque(value.type, value.text)
        array = value if kind is Array else _from_library(value, kind)
        if array is not None:
            numbers = base64.b64encode(array.data).decode("ascii")
            return {"array": [array.dtype, list(array.shape), numbers, array.library]}
        # A named tuple or NumPy's text is encoded by its content, ignoring its own methods.
        if issubclass(kind, tuple):
            return self._container(tuple.__getitem__(value, slice(None)), tuple, depth)
        if type_name(value) == "numpy.str_":
            return self._string(str.__getitem__(value, slice(None)))
        return _opaque(type_name(value), guarded_text(value))

    def _integer(self, value: int) -> Any:
        bits = value.bit_length()
        if bits <= 63:
            return value
        if bits > MOST_BITS:
            return _opaque("int", f"an integer of {bits:,} bits")
        return {"int": hex(value)}

    def _string(self, value: str) -> Any:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            # JSON would combine two lone surrogates into one character.
            return {"str": value.encode("utf-8", "surrogatepass").hex()}
        return value

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        if id(value) in self._above:
            return _opaque(kind.__name__, "contains itself")
        if depth >= DEEPEST:
            return _opaque(kind.__name__, "too deep")
        self._above.add(id(value))
        if len(value) > MOST_ITEMS:
            raise _TooLargeError
        if kind is dict:
            pairs = list(value.items())
            keys = self._parts([key for key, _ in pairs], depth + 1)
            values = self._parts([part for _, part in pairs], depth + 1)
            found: list[Any] = [[key, part] for key, part in zip(keys, values, strict=True)]
        else:
            found = self._parts(list(value), depth + 1)
        self._above.discard(id(value))
        if kind in (set, frozenset):
            found.sort(key=json.dumps)  # equal sets give equal data
        return found if kind is list else {kind.__name__: found}

    def _parts(self, parts: list[Any], depth: int) -> list[Any]:
        found = []
        for part in parts:
            if type(part) is str and part.isascii():  # the common case
                self._items += 1
                found.append(part)
            else:
                found.append(self.encode(part, depth))
        return found


def guarded_text(value: object) -> str:
    """Return a shortened ``repr`` of a value, whatever it raises or prints."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            text = repr(value)
    except BaseException as error:  # repr may raise anything, even SystemExit
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"<repr() raises {type_name(error)}>"
    # Not text[:n]: a subclass of str may override slicing.
    text = str.__getitem__(text, slice(0, 4 * _TEXT))
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
    return text if len(text) <= _TEXT else text[: _TEXT - 3] + "..."


def _opaque(kind: str, text: str) -> Any:
    return {"opaque": [kind, text.encode("utf-8", "backslashreplace").decode("utf-8")]}


def _from_library(value: Any, kind: type) -> Array | None:
    """Return an array of NumPy or torch by value, without importing them."""
    numpy: Any = sys.modules.get("numpy")
    torch: Any = sys.modules.get("torch")
    try:
        known = numpy is not None and (kind is numpy.ndarray or _is_scalar(kind, numpy))
        if known and value.dtype.kind in _KINDS:
            little = numpy.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
            return Array(value.dtype.name, tuple(value.shape), little.tobytes(), "numpy")
        if torch is not None and kind is torch.Tensor and value.layout is torch.strided:
            flat = value.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
            data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
            name = str(value.dtype).removeprefix("torch.")
            return Array(name, tuple(value.shape), data, "torch")
    except Exception:  # noqa: BLE001 - quantised, for example: shown by its text
        return None
    return None


def _is_scalar(kind: type, numpy: Any) -> bool:
    """Return whether a value is exactly of one of NumPy's number types."""
    return issubclass(kind, numpy.generic) and kind in numpy.sctypeDict.values()


def _decode(data: Any, depth: int) -> Any:
    if data is None or type(data) in (bool, int, str):
        return data
    if depth > DEEPEST + 1:
        raise ValueError("it is nested too deeply")
    if type(data) is list:  # the usual form of names
        return [part if type(part) is str else _decode(part, depth + 1) for part in data]
    if type(data) is not dict or len(data) != 1:
        raise ValueError(f"a {type(data).__name__} without a tag")
    ((tag, body),) = data.items()
    if tag == "dict":
        pairs = [(_decode(key, depth + 1), _decode(value, depth + 1)) for key, value in body]
        _refuse_collisions(key for key, _ in pairs)
        return dict(pairs)
    if tag in ("tuple", "set", "frozenset"):
        parts = [_decode(part, depth + 1) for part in body]
        if tag == "tuple":
            return tuple(parts)
        _refuse_collisions(parts)
        return set(parts) if tag == "set" else frozenset(parts)
    return _decode_leaf(tag, body)


def _decode_leaf(tag: str, body: Any) -> Any:
    if tag == "int" and len(body) <= MOST_BITS // 4 + 4:
        return int(body, 16)
    if tag == "float":
        return float.fromhex(body)
    if tag == "complex":
        real, imaginary = body
        return complex(float.fromhex(real), float.fromhex(imaginary))
    if tag == "str":
        return bytes.fromhex(body).decode("utf-8", "surrogatepass")
    if tag == "bytes":
        return base64.b64decode(body, validate=True)
    if tag == "opaque":
        kind, text = body
        return Opaque(_word(kind), _word(text))
    if tag == "array":
        dtype, shape, numbers, library = body
        if any(type(length) is not int or length < 0 for length in shape):
            raise ValueError("an array's shape has lengths of 0 or more")
        data = base64.b64decode(numbers, validate=True)
        return Array(_word(dtype), tuple(shape), data, _word(library))
    raise ValueError(f"the tag {tag[:40]!r} is unknown")


def _word(text: Any) -> str:
    if type(text) is not str or len(text) > 10 * _TEXT:
        raise ValueError("a name is a short text")
    return text


def _refuse_collisions(keys: Iterable[Any]) -> None:
    """Refuse thousands of keys with equal hashes, which would take hours to read."""
    hashes = [hash(key) for key in keys]
    if len(hashes) - len(set(hashes)) > 1000:
        raise ValueError("its keys collide")
