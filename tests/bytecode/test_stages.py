from __future__ import annotations

import pytest

from hpml.bytecode.disassembly.stages import stages
from hpml.bytecode.errors import BytecodeError


def row(source: str, field: str, **options: str) -> str:
    table = stages(source, **options).pyc.table
    return next(str(line[3]) for line in table.rows if line[2] == field)


def test_the_header_says_how_the_file_is_known_to_be_stale() -> None:
    assert row("x = 1", "flags") == "0: stale if the source's time or size differ"
    assert "checked at import" in row("x = 1", "flags", invalidation="checked hash")
    assert "never checked" in row("x = 1", "flags", invalidation="unchecked hash")


def test_the_size_in_the_header_counts_bytes_not_characters() -> None:
    assert row("x = 'é'\n", "size") == "the source has 9 bytes"


def test_equal_texts_have_equal_hashes_and_other_texts_have_others() -> None:
    def header(text: str) -> bytes:
        return stages(text, invalidation="checked hash").pyc.header

    assert header("x = 1") == header("x = 1")
    assert header("x = 1") != header("x = 2")


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
    with pytest.raises(BytecodeError, match=r"stages expects source text, got .*disassemble"):
        stages(len)  # type: ignore[arg-type]
    with pytest.raises(BytecodeError, match="does not compile: line 1"):
        stages("a b")
    with pytest.raises(BytecodeError, match="expects one of timestamp, checked hash"):
        stages("a", invalidation="never")


def test_the_tree_is_escaped_in_the_page() -> None:
    assert "<b>" not in stages("x = '<b>'").tree.html.replace("<pre", "")


def test_numbers_too_long_to_write_are_shown_by_their_size() -> None:
    found = stages(f"x = {'0x' + 'f' * 5000}\ny = 10 ** 5000")
    assert "<int of 20000 bits>" in found.tree.plain
    assert len(str(found)) < 30_000


@pytest.mark.parametrize(
    "source", ["-" * 100_000 + "1", "x" + ".y" * 20_000, "+".join("a" * 20_000)]
)
def test_a_text_nested_too_deeply_is_refused_in_a_sentence(source: str) -> None:
    with pytest.raises(BytecodeError, match="nested too deeply"):
        stages(source)
