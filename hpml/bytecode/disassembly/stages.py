"""From source text to a ``.pyc`` file: what each stage of CPython's compiler makes, as a value.

    text → tokens → syntax tree → basic blocks of instructions → code object → .pyc

The stages are the lecture's; each is asked of the standard library, so what is shown is what this
Python really does, and not a model of it.
"""

from __future__ import annotations

import ast
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
from hpml.base.page import Page, show_code
from hpml.base.tables import Shown, Table
from hpml.bytecode.disassembly.listing import Disassembly, disassemble
from hpml.bytecode.disassembly.subject import compiled
from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.errors import BytecodeError
from hpml.bytecode.safe_repr import short


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
        tokens: names, numbers and signs, with where they stand.
        tree: the abstract syntax tree, as indented text.
        code: the attributes of the code object: constants, names, depth of the stack.
        bytecode: its instructions; ``.blocks`` has them in basic blocks.
        pyc: the file that an import would leave behind.
    """

    source: str
    tokens: Table
    tree: Page
    code: Table
    bytecode: Disassembly
    pyc: Pyc

    @property
    def blocks(self) -> Table:
        """The basic blocks of every code object: where each begins, and which may follow."""
        rows = [
            [
                listing.name,
                block.offset,
                "; ".join(map(str, block.instructions)),
                ", ".join(map(str, block.successors)) or "none",
            ]
            for listing in self.bytecode.listings
            for block in listing.blocks
        ]
        return Table(
            ["code of", "from", "instructions", "may be followed by"], rows, title="Basic blocks"
        )

    def __str__(self) -> str:
        tree = f"Syntax tree\n{self.tree.plain}"
        parts = [self.tokens, tree, self.blocks, self.code, self.bytecode, self.pyc]
        return "\n\n".join(str(part) for part in parts)

    def _repr_html_(self) -> str:
        tree = f"<p><b>Syntax tree</b></p>{self.tree.html}"
        shown = [part._repr_html_() for part in (self.blocks, self.code, self.bytecode, self.pyc)]
        return "".join([self.tokens._repr_html_(), tree, *shown])


def stages(source: str) -> Stages:
    r"""Return what each stage of the compiler makes of `source`.

    Args:
        source: Python source text.

    Raises:
        BytecodeError: if `source` is no text or does not compile.

    >>> found = stages("d = a + b * c")
    >>> found.tokens.column("text")
    ('d', '=', 'a', '+', 'b', '*', 'c', '⏎', '')
    >>> print(found.tree.plain.splitlines()[0])
    Module(
    >>> dict(found.code.rows)["names"]
    'a, b, c, d'
    >>> len(found.pyc.header)
    16

    Source: https://devguide.python.org/internals/compiler/.
    """
    if not isinstance(source, str):
        raise BytecodeError(
            f"stages expects source text, got {describe(source)}; for a function's bytecode there "
            "is disassemble(function)."
        )
    code = compiled(source)
    parts = _tokens(source), _tree(source), _attributes(code), disassemble(source), _pyc(source)
    return Stages(source, *parts)


class _Number:
    """An integer of the tree; Python refuses to write one of more than 4,300 digits."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        return short(self.value)


def _tokens(source: str) -> Table:
    rows = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.replace("\n", "⏎")
        if token.type == tokenize.NEWLINE and not text:
            text = "⏎"  # the tokenizer adds the line end that the last line lacks
        kind = tokenize.tok_name[token.exact_type]
        rows.append([token.start[0], token.start[1], kind, text])
    return Table(["line", "column", "token", "text"], rows, title="Tokens")


def _tree(source: str) -> Page:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = _Number(node.value)  # type: ignore[assignment]
    try:
        text = ast.dump(tree, indent=2)
    except RecursionError:
        raise BytecodeError(
            "The source text is nested too deeply for its tree to be shown. Divide the expression."
        ) from None
    return show_code(text)


def _attributes(code: CodeType) -> Table:
    def listed(values: tuple[object, ...]) -> str:
        shown = [f"<code {v.co_name}>" if isinstance(v, CodeType) else describe(v) for v in values]
        return ", ".join(shown) or "none"

    rows = [
        ["constants", listed(code.co_consts)],
        ["names", ", ".join(code.co_names) or "none"],
        ["local variables", ", ".join(code.co_varnames) or "none"],
        ["stack, at most", f"{code.co_stacksize} values"],
        ["bytecode", f"{len(code.co_code)} bytes: {describe(code.co_code.hex(' '))}"],
    ]
    return Table(["part", "holds"], rows, title="Code object")


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
