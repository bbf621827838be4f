"""From source text to a ``.pyc`` file: what each stage of CPython's compiler makes, as a value.

    text → tokens → syntax tree → basic blocks of instructions → code object → .pyc

The stages are the lecture's. The standard library makes each of them, so that what is shown is what
this Python does. `ast.dump` shows the tree.
"""

from __future__ import annotations

import importlib.util
import io
import marshal
import py_compile
import struct
import tempfile
import tokenize
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType

from hpml.base.errors import describe
from hpml.base.tables import Shown, Table
from hpml.bytecode.disassembly.listing import Disassembly, disassemble
from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.errors import BytecodeError


@dataclass(frozen=True)
class Pyc(Shown):
    """A ``.pyc`` file: sixteen bytes that say what it is, and a code object."""

    header: bytes
    size: int
    code: CodeType = field(repr=False)

    @property
    def table(self) -> Table:
        """The header field by field, and what each says."""
        seconds, size = struct.unpack("<II", self.header[8:16])
        when = datetime.fromtimestamp(seconds, tz=UTC)
        stale = "0: stale if the source's time or size differ"
        rows: list[list[object]] = [
            ["0–3", self.header[:4], "magic number", self._magic()],
            ["4–7", self.header[4:8], "flags", stale],
            ["8–11", self.header[8:12], "time", f"source changed {when:%Y-%m-%d %H:%M:%S} UTC"],
            ["12–15", self.header[12:16], "size", f"the source has {size} bytes"],
            [f"16–{self.size - 1}", None, "code object", f"{self.size - 16} bytes, by marshal"],
        ]
        return Table(
            ["bytes", "in the file", "field", "what it says"],
            rows,
            title="The .pyc file",
            formats={"in the file": lambda data: data.hex(" ") if isinstance(data, bytes) else ""},
        )

    def _magic(self) -> str:
        number = int.from_bytes(self.header[:2], "little")
        own = self.header[:4] == importlib.util.MAGIC_NUMBER
        who = f"the format of Python {python_version()}" if own else "another Python's format"
        return f"{number} and a line end: {who}"


@dataclass(frozen=True)
class Stages(Shown):
    """What the compiler makes of a text, stage by stage; every stage shows itself.

    Attributes:
        source: the text.
        tokens: names, numbers and signs, with their line and column.
        bytecode: the instructions; ``.blocks`` has them in basic blocks.
        pyc: the file that an import would leave behind.
    """

    source: str
    tokens: Table
    bytecode: Disassembly
    pyc: Pyc

    def _shown(self) -> tuple[Shown, ...]:
        return self.tokens, self.bytecode, self.pyc


def stages(source: str) -> Stages:
    r"""Return what each stage of the compiler makes of `source`.

    Args:
        source: Python source text.

    Raises:
        BytecodeError: if `source` is no text or does not compile.

    >>> found = stages("d = a + b * c")
    >>> found.tokens.column("text")
    ('d', '=', 'a', '+', 'b', '*', 'c', '⏎', '')
    >>> len(found.pyc.header)
    16

    Source: https://devguide.python.org/internals/compiler/.
    """
    if not isinstance(source, str):
        raise BytecodeError(
            f"stages expects source text, got {describe(source)}; for a function's bytecode there "
            "is disassemble(function)."
        )
    bytecode = disassemble(source)  # first: its errors say what does not compile
    return Stages(source, _tokens(source), bytecode, _pyc(source))


def _tokens(source: str) -> Table:
    rows = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.replace("\n", "⏎")
        if token.type == tokenize.NEWLINE and not text:
            text = "⏎"  # the tokenizer adds the line end that the last line lacks
        kind = tokenize.tok_name[token.exact_type]
        rows.append([token.start[0], token.start[1], kind, text])
    return Table(["line", "column", "token", "text"], rows, title="Tokens")


def _pyc(source: str) -> Pyc:
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
