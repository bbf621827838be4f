"""What a Python object is made of, read from the memory of this very process."""

from __future__ import annotations

import ctypes
import html
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass

from hpml.base.errors import describe
from hpml.base.style import PALETTE
from hpml.base.tables import Shown, Table
from hpml.bytecode.errors import BytecodeError
from hpml.bytecode.object_fields import Field, read, value_fields

_KNOWN = ((3, 11), (3, 12), (3, 13), (3, 14))
_COUNT_BYTES = 4 if sys.version_info >= (3, 14) else 8
_IMMORTAL_FROM = 1 << 31  # objects that live forever are not counted (PEP 683)
_COLOURS = {
    "ob_refcnt": "accent",
    "ob_type": "sequential",
    **dict.fromkeys(("ob_size", "lv_tag", "allocated"), "inlined"),
    **dict.fromkeys(("ob_fval", "ob_digit"), "codegen"),
    **dict.fromkeys(("ob_item", "cdata"), "peer"),
}
"""What a field means has one colour in all objects; what has none here is muted."""


@dataclass(frozen=True)
class ObjectHeader(Shown):
    """The memory of one object, field by field.

    Attributes:
        type: the name of the object's type.
        shown: the object, shortly.
        address: where it lies.
        references: how many references lead to it, the argument of `object_header` among them
            (from 3.14 on, unless that is a local variable); None if it is immortal, that is, if
            its references are not counted.
        size: what ``sys.getsizeof`` says, in bytes.
        before: bytes of `size` that lie before the address: the garbage collector's links.
        fields: those of the object, then those that a pointer in it leads to.
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
        """Whether everything that could be checked another way was the same."""
        return all(field.agrees for field in self.fields)

    @property
    def table(self) -> Table:
        """The fields as a table: where, which bytes, what they say, and who confirms it."""
        rows = [
            [
                f"→ +{field.place}" if field.elsewhere else f"{field.place:+d}",
                _hex(field),
                field.name,
                field.value,
                _confirmed(field),
            ]
            for field in self.fields
        ]
        return Table(
            ["place", "bytes in memory", "field", "what they say", "confirmed by"],
            rows,
            title=f"{self.type} {self.shown} at {self.address:#x}: {self.size} bytes",
            caption=self._sum(),
            align=["right", "left", "left", "left", "left"],
        )

    def _repr_html_(self) -> str:
        """Return the bytes as boxes, eight a row, coloured by field, with a tick if confirmed."""
        rows, led = [f"<div><b>{html.escape(self.table.title or '')}</b></div>"], False
        for field in self.fields:
            if field.elsewhere and not led:
                led = True
                rows.append("<div><small>Where its pointer leads:</small></div>")
            role = "lazy" if field.elsewhere else _COLOURS.get(field.name, "muted")
            rows.append(_boxes(field, PALETTE[role]))
        caption = f"<p><small>{self._sum()}</small></p>"
        return f'<div style="margin: 0.5em 0;">{"".join(rows)}</div>{caption}'

    def _sum(self) -> str:
        own = sum(field.size for field in self.fields if not field.elsewhere and field.place >= 0)
        parts = [f"{self.before} before the object"] if self.before else []
        parts.append(f"{own} in it")
        if self.size - self.before > own:
            where = "where ob_item leads" if self.type == "list" else "not taken apart here"
            parts.append(f"{self.size - self.before - own} {where}")
        total = f"{' + '.join(parts)} = {self.size} bytes, as sys.getsizeof says. "
        if self.references is None:
            return total + "It is immortal: its references are not counted."
        if sys.version_info >= (3, 14):
            return total + (
                "The call borrows the reference of the local variable, so it is not counted twice."
            )
        return total + "One of the references is the argument of this very call."


def object_header(obj: object) -> ObjectHeader:
    """Return what the memory of `obj` holds: reference count, type, and for some types the value.

    An int, float, list or tensor is taken apart to the last byte; of any other object what
    all have is.

    Args:
        obj: anything.

    Raises:
        BytecodeError: on a Python whose objects are laid out in another way than those of CPython
            3.11 to 3.14, 64 bits.

    >>> header = object_header(1.5)
    >>> header.type, header.size, header.agrees
    ('float', 24, True)
    >>> [field.name for field in header.fields][-2:]
    ['ob_type', 'ob_fval']
    >>> header.fields[-1].data.hex(" ")
    '00 00 00 00 00 00 f8 3f'

    Source: https://docs.python.org/3/c-api/structures.html#c.PyObject; PEP 683 (immortal objects).
    """
    _refuse_elsewhere()
    kind = type(obj)
    # The argument of getrefcount counts too, until 3.14 began to lend it local variables.
    own = int(sys.version_info < (3, 14))
    # Read and asked in this frame, so that both count the same references; another thread may
    # come between the two.
    words = (ctypes.c_ubyte * 8).from_address(id(obj))
    for _ in range(5):
        data = bytes(words)
        asked = sys.getrefcount(obj)
        counted = int.from_bytes(data[:_COUNT_BYTES], "little")
        immortal = sys.version_info >= (3, 12) and counted & 0xFFFFFFFF >= _IMMORTAL_FROM
        agrees = asked == counted + (0 if immortal else own)
        if agrees:
            break
    count = None if immortal else counted
    pointer = read(id(obj) + 8, 8)
    if int.from_bytes(pointer, "little") != id(kind):
        raise BytecodeError(
            f"The type of {describe(obj)} is not where it should be, so this Python "
            f"({platform.python_version()}) has an unknown object layout."
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
    """Yield the fields in which references are counted; `sys.getrefcount` confirms the first."""
    text = "immortal" if count is None else _references(count)
    size = _COUNT_BYTES
    yield Field(0, data[:size], size, "ob_refcnt", text, "sys.getrefcount", agrees)
    if size == 4:
        yield Field(4, data[4:6], 2, "ob_overflow", "room for the count to overflow")
        yield Field(6, data[6:8], 2, "ob_flags", "flags")


def _references(count: int) -> str:
    return f"{count} reference" + "s" * (count != 1)


def _refuse_elsewhere() -> None:
    other = hasattr(sys, "getobjects") or bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    plain = struct.calcsize("P") == 8 and sys.byteorder == "little" and not other
    version = sys.version_info[:2]
    if sys.implementation.name == "cpython" and plain and version in _KNOWN:
        return
    what = f"{platform.python_implementation()} {'.'.join(map(str, version))}"
    what += ", a debug or free-threaded build" if other else ""
    raise BytecodeError(
        f"object_header supports CPython 3.11 to 3.14 with 64 bits; this is {what}, "
        f"{8 * struct.calcsize('P')} bits, {sys.byteorder}-endian. Run it with one of those."
    )


def _hex(field: Field) -> str:
    return field.data.hex(" ") + (" …" if field.size > len(field.data) else "")


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
    cut = " …" if field.size > len(field.data) else ""
    shown = []
    for place, row in enumerate(rows):
        cells = "".join(f"{cell}{byte:02x}</span>" for byte in row)
        label = _label(field) if not place else ""
        offset = f'<span style="display: inline-block; width: 3em;">+{field.place + 8 * place}'
        wide = 'style="display: inline-block; min-width: 18em;"'
        shown.append(
            f'<div><code style="white-space: pre; background: none;">{offset}</span>'
            f"<span {wide}>{cells}{cut if row is rows[-1] else ''}</span></code> {label}</div>"
        )
    return "".join(shown)
