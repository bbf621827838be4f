"""Show the memory of a Python object, read from the running process."""

from __future__ import annotations

import ctypes
import html
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass

from hpml.base import style
from hpml.base.errors import describe
from hpml.base.tables import Shown, Table
from hpml.bytecode.disassembly.versions import SUPPORTED
from hpml.bytecode.errors import BytecodeError
from hpml.bytecode.object_fields import Field, read, value_fields

_COUNT_BYTES = 4 if sys.version_info >= (3, 14) else 8
_IMMORTAL_FROM = 1 << 31  # references to immortal objects are not counted (PEP 683)
_COLOURS = {
    "ob_refcnt": style.ACCENT,
    "ob_type": style.BLUE,
    **dict.fromkeys(("ob_size", "lv_tag", "allocated"), style.TEAL),
    **dict.fromkeys(("ob_fval", "ob_digit"), style.GREEN),
    **dict.fromkeys(("ob_item", "cdata"), style.PURPLE),
}
"""Colours by field name; other fields are muted."""


@dataclass(frozen=True)
class ObjectHeader(Shown):
    """The memory of one object, field by field.

    Attributes:
        type: name of the object's type.
        shown: the object as short text.
        address: the object's ``id``.
        references: number of references to the object, including the argument of `object_header`
            (from 3.14 on, only if that is not a local variable); None if the object is immortal:
            its references are not counted.
        size: ``sys.getsizeof``, in bytes.
        before: bytes of `size` before the address: the garbage collector's links.
        fields: the object's own fields, then fields at the addresses that its pointers contain.
    """

    type: str
    shown: str
    address: int
    references: int | None
    size: int
    before: int
    fields: tuple[Field, ...]

    @property
    def agrees(self) -> bool:
        """Whether all independent checks agreed."""
        return all(field.agrees for field in self.fields)

    @property
    def table(self) -> Table:
        """The fields as a table: offset, bytes, name, meaning, and the check that confirms it."""
        rows = [
            [
                f"→ +{field.offset}" if field.via_pointer else f"{field.offset:+d}",
                field.data.hex(" ") + " …" * (field.size > len(field.data)),
                field.name,
                field.value,
                _confirmed(field),
            ]
            for field in self.fields
        ]
        return Table(
            ["offset", "bytes in memory", "field", "meaning", "confirmed by"],
            rows,
            title=f"{self.type} {self.shown} at {self.address:#x}: {self.size} bytes",
            caption=self._caption(),
            align=["right", "left", "left", "left", "left"],
        )

    def _repr_html_(self) -> str:
        """Return the bytes as boxes, eight a row, coloured by field, with a tick if confirmed."""
        rows = [f"<div><b>{html.escape(self.table.title or '')}</b></div>"]
        has_heading = False
        for field in self.fields:
            if field.via_pointer and not has_heading:
                has_heading = True
                rows.append("<div><small>At the address in its pointer:</small></div>")
            own = _COLOURS.get(field.name, style.MUTED)
            rows.append(_boxes(field, style.ROSE if field.via_pointer else own))
        caption = f"<p><small>{self._caption()}</small></p>"
        return f'<div style="margin: 0.5em 0;">{"".join(rows)}</div>{caption}'

    def _caption(self) -> str:
        shown = sum(
            field.size for field in self.fields if not field.via_pointer and field.offset >= 0
        )
        parts = [f"{self.before} before the object"] if self.before else []
        parts.append(f"{shown} in it")
        if self.size - self.before > shown:
            where = "at ob_item" if self.type == "list" else "not shown here"
            parts.append(f"{self.size - self.before - shown} {where}")
        total = f"{' + '.join(parts)} = {self.size} bytes, as reported by sys.getsizeof. "
        if self.references is None:
            return total + "It is immortal: its references are not counted."
        if sys.version_info >= (3, 14):
            return total + (
                "The call borrows the reference of the local variable, so it is not counted twice."
            )
        return total + "One of the references is the argument of this call."


def object_header(obj: object) -> ObjectHeader:
    """Return the memory of `obj` field by field: reference count, type and value.

    The value is included for int, float, list and tensor only.

    Args:
        obj: any object.

    Raises:
        BytecodeError: if the running Python is not a 64-bit CPython 3.11 to 3.15 with the default
            object layout.

    >>> header = object_header(1.5)
    >>> header.type, header.size, header.agrees
    ('float', 24, True)
    >>> [field.name for field in header.fields][-2:]
    ['ob_type', 'ob_fval']
    >>> header.fields[-1].data.hex(" ")
    '00 00 00 00 00 00 f8 3f'

    Source: https://docs.python.org/3/c-api/structures.html#c.PyObject; PEP 683 (immortal objects).
    """
    _check_platform()
    kind = type(obj)
    # getrefcount counts its argument; 3.14 passes a local variable as a borrowed reference.
    extra = int(sys.version_info < (3, 14))
    # Both reads are in this frame and see the same references, unless another thread runs between.
    words = (ctypes.c_ubyte * 8).from_address(id(obj))
    for _ in range(5):
        data = bytes(words)
        reported = sys.getrefcount(obj)
        counted = int.from_bytes(data[:_COUNT_BYTES], "little")
        immortal = sys.version_info >= (3, 12) and counted & 0xFFFFFFFF >= _IMMORTAL_FROM
        agrees = reported == counted + (0 if immortal else extra)
        if agrees:
            break
    count = None if immortal else counted
    pointer = read(id(obj) + 8, 8)
    if int.from_bytes(pointer, "little") != id(kind):
        raise BytecodeError(
            object=describe(obj),
            expected="its type at offset 8 of the object",
            received="another pointer: this Python has an unknown object layout",
            remedy=f"Report this with the version, {platform.python_version()}.",
        )
    size = sys.getsizeof(obj)
    before = size - int(kind.__sizeof__(obj))
    fields = [
        *_count_fields(data, count, agrees=agrees),
        Field(8, pointer, 8, "ob_type", f"→ {kind.__name__}", "id(type(obj))"),
        *value_fields(obj),
    ]
    return ObjectHeader(
        kind.__name__, describe(obj, 50), id(obj), count, size, before, tuple(fields)
    )


def _count_fields(data: bytes, count: int | None, *, agrees: bool) -> Iterator[Field]:
    """Yield the reference count and, from 3.14 on, the two fields that share its word."""
    text = "immortal" if count is None else f"{count} reference{'s' * (count != 1)}"
    size = _COUNT_BYTES
    yield Field(0, data[:size], size, "ob_refcnt", text, "sys.getrefcount", agrees)
    if size == 4:
        yield Field(4, data[4:6], 2, "ob_overflow", "overflow of the count")
        yield Field(6, data[6:8], 2, "ob_flags", "flags")


def _check_platform() -> None:
    special = hasattr(sys, "getobjects") or bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    default = struct.calcsize("P") == 8 and sys.byteorder == "little" and not special
    version = ".".join(map(str, sys.version_info[:2]))
    if sys.implementation.name != "cpython" or not default or version not in SUPPORTED:
        raise BytecodeError(
            object="object_header",
            expected="a 64-bit build of CPython 3.11 to 3.15 with default options",
            received=f"{sys.implementation.name} {sys.version}",
            remedy="Run it on a supported Python.",
        )


def _confirmed(field: Field) -> str:
    if not field.check:
        return ""
    return field.check if field.agrees else f"NOT by {field.check}"


def _label(field: Field) -> str:
    label = f"<b>{html.escape(field.name)}</b> {html.escape(field.value)}"
    confirmed = _confirmed(field)
    mark = "✓ " if field.agrees else ""
    return f"{label} <small>{mark}{html.escape(confirmed)}</small>" if confirmed else label


def _boxes(field: Field, colour: str) -> str:
    cell = (
        f'<span style="display: inline-block; width: 1.9em; text-align: center; margin: 1px; '
        f'background: {colour}40; border-top: 3px solid {colour};">'
    )
    rows = [field.data[start : start + 8] for start in range(0, len(field.data), 8)]
    ellipsis = " …" if field.size > len(field.data) else ""
    lines = []
    for index, row in enumerate(rows):
        cells = "".join(f"{cell}{byte:02x}</span>" for byte in row)
        label = _label(field) if not index else ""
        offset = f'<span style="display: inline-block; width: 3em;">+{field.offset + 8 * index}'
        wide = 'style="display: inline-block; min-width: 18em;"'
        lines.append(
            f'<div><code style="white-space: pre; background: none;">{offset}</span>'
            f"<span {wide}>{cells}{ellipsis if row is rows[-1] else ''}</span></code> {label}</div>"
        )
    return "".join(lines)
