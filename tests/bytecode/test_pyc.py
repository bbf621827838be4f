from __future__ import annotations

import pytest

from hpml.bytecode.disassembly import pyc_of
from hpml.bytecode.errors import BytecodeError


def test_the_size_in_the_header_counts_bytes_not_characters() -> None:
    assert "the source has 9 bytes" in pyc_of("x = 'é'\n").table.column("meaning")


def test_the_bytes_of_the_table_are_those_of_the_file() -> None:
    pyc = pyc_of("x = 1")
    data = [cell for cell in pyc.table.column("in the file") if isinstance(cell, bytes)]
    assert b"".join(data) == pyc.header
    assert str(pyc.table.column("bytes")[-1]) == f"16–{pyc.size - 1}"


@pytest.mark.parametrize("source", ["", "\n", "# nothing", "pass\n\n\n", "x = (1,\n     2)\n"])
def test_unusual_texts_are_compiled(source: str) -> None:
    assert str(pyc_of(source))


@pytest.mark.parametrize("source", [len, "a b", "-" * 100_000 + "1", "x" + ".y" * 20_000])
def test_what_does_not_compile_is_refused(source: str) -> None:
    with pytest.raises(BytecodeError):
        pyc_of(source)
