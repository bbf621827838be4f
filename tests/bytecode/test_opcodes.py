"""The tables of opcodes are complete, and hold nothing that this Python does not have."""

from __future__ import annotations

import dis

from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.machine.opcodes.versions import HANDLERS, LEFT_OUT
from tests.bytecode.figures import coverage, possible_opcodes

# The interpreter jumps past it in every loop that is not a generator's which it runs inline.
PASSED_OVER = {"END_FOR"}


def test_every_opcode_that_a_plain_function_can_contain_has_a_handler() -> None:
    assert coverage()["without a handler"] == []


def test_the_corpus_executes_every_opcode() -> None:
    assert set(coverage()["not executed by the corpus"]) <= PASSED_OVER


def test_the_table_has_no_opcode_that_this_python_lacks() -> None:
    assert set(HANDLERS[python_version()]) <= set(dis.opmap)


def test_every_opcode_left_out_has_a_reason() -> None:
    possible, left_out = possible_opcodes()
    assert not set(possible) & set(left_out)
    assert set(possible) | set(left_out) == set(dis.opmap)
    assert all(reason for reason in [*left_out.values(), *LEFT_OUT.values()])
