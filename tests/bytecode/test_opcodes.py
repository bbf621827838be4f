"""The tables of opcodes are complete, and hold nothing that this Python does not have."""

from __future__ import annotations

import contextlib
import dis
import io

from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.machine.opcodes.versions import HANDLERS, LEFT_OUT
from tests.bytecode import offsets
from tests.bytecode.cases import corpus

HANDLED = HANDLERS[python_version()]
# What a plain function can contain; `sys.monitoring` puts the instrumented ones in place of others.
POSSIBLE = {
    name
    for name in dis.opmap
    if not name.startswith("INSTRUMENTED_") and (name in HANDLED or name not in LEFT_OUT)
}
# The interpreter jumps past it in every loop that is not a generator's which it runs inline.
PASSED_OVER = {"END_FOR"}


def test_every_opcode_that_a_plain_function_can_contain_has_a_handler() -> None:
    assert set(HANDLED) == POSSIBLE
    assert all(LEFT_OUT.values()), "each that is left out has a reason"


def test_the_corpus_executes_every_opcode() -> None:
    executed: set[str] = set()
    with contextlib.redirect_stdout(io.StringIO()):
        for function in corpus().values():
            executed |= offsets.opcodes_by_machine(function)
    assert POSSIBLE - executed <= PASSED_OVER
