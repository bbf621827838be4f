"""Compile source text to the ``.pyc`` file that an import writes."""

from __future__ import annotations

import marshal
import py_compile
import struct
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType

from hpml.base.errors import describe
from hpml.base.tables import Shown, Table
from hpml.bytecode.disassembly.subject import compile_source
from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.errors import BytecodeError


@dataclass(frozen=True)
class Pyc(Shown):
    """A ``.pyc`` file: a header of 16 bytes, and a code object."""

    header: bytes
    size: int
    code: CodeType = field(repr=False)

    @property
    def table(self) -> Table:
        seconds, size = struct.unpack("<II", self.header[8:16])
        when = datetime.fromtimestamp(seconds, tz=UTC)
        stale = "0: stale if the source's time or size differ"
        magic = int.from_bytes(self.header[:2], "little")
        meaning = f"{magic} and a line end: the format of Python {python_version()}"
        rows: list[list[object]] = [
            ["0–3", self.header[:4], "magic number", meaning],
            ["4–7", self.header[4:8], "flags", stale],
            ["8–11", self.header[8:12], "time", f"source changed {when:%Y-%m-%d %H:%M:%S} UTC"],
            ["12–15", self.header[12:16], "size", f"the source has {size} bytes"],
            [f"16–{self.size - 1}", None, "code object", f"{self.size - 16} bytes, by marshal"],
        ]
        return Table(
            ["bytes", "in the file", "field", "meaning"],
            rows,
            title="The .pyc file",
            formats={"in the file": lambda data: data.hex(" ") if isinstance(data, bytes) else ""},
        )


def pyc_of(source: str) -> Pyc:
    """Return the ``.pyc`` file that CPython writes when it imports `source`.

    Args:
        source: Python source text.

    Raises:
        BytecodeError: if `source` is not a string or does not compile.

    >>> file = pyc_of("d = a + b * c")
    >>> len(file.header), file.code.co_names
    (16, ('a', 'b', 'c', 'd'))

    Source: https://devguide.python.org/internals/compiler/.
    """
    if not isinstance(source, str):
        raise BytecodeError(
            object="source of pyc_of",
            expected="source text",
            received=describe(source),
            remedy="Pass the text of a module, inspect.getsource(module).",
        )
    compile_source(source)  # for its error messages
    with tempfile.TemporaryDirectory() as folder:
        text, target = Path(folder, "source.py"), Path(folder, "source.pyc")
        text.write_text(source, encoding="utf-8", newline="")
        py_compile.compile(
            str(text),
            cfile=str(target),
            dfile="<source>",
            doraise=True,
            invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP,
        )
        data = target.read_bytes()
    return Pyc(data[:16], len(data), marshal.loads(data[16:]))
