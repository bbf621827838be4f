from __future__ import annotations

import pytest

from hpml.bytecode.disassembly.stages import stages
from hpml.bytecode.errors import BytecodeError


def test_the_size_in_the_header_counts_bytes_not_characters() -> None:
    assert "the source has 9 bytes" in stages("x = 'é'\n").pyc.table.column("what it says")


def test_the_bytes_of_the_table_are_those_of_the_file() -> None:
    pyc = stages("x = 1").pyc
    data = [cell for cell in pyc.table.column("in the file") if isinstance(cell, bytes)]
    assert b"".join(data) == pyc.header
    assert str(pyc.table.column("bytes")[-1]) == f"16–{pyc.size - 1}"


@pytest.mark.parametrize("source", ["", "\n", "# nothing", "pass\n\n\n", "x = (1,\n     2)\n"])
def test_unusual_texts_go_through_every_stage(source: str) -> None:
    found = stages(source)
    assert str(found)
    assert found.tokens.rows[-1][2] == "ENDMARKER"


def test_what_is_no_source_is_refused() -> None:
    with pytest.raises(BytecodeError):
        stages(len)  # type: ignore[arg-type]
    with pytest.raises(BytecodeError):
        stages("a b")


@pytest.mark.parametrize(
    "source", ["-" * 100_000 + "1", "x" + ".y" * 20_000, "+".join("a" * 20_000)]
)
def test_a_text_nested_too_deeply_is_refused_in_a_sentence(source: str) -> None:
    with pytest.raises(BytecodeError):
        stages(source)
