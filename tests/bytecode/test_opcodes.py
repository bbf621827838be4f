from __future__ import annotations

import contextlib
import dis
import io
import sys

from hpml.bytecode.machine.opcodes.versions import HANDLERS
from tests.bytecode import offsets
from tests.bytecode.cases import corpus

LEFT_OUT = {
    # Only async code contains them.
    *("ASYNC_GEN_WRAP", "BEFORE_ASYNC_WITH", "END_ASYNC_FOR"),
    *("GET_AITER", "GET_ANEXT", "GET_AWAITABLE"),
    # The machine refuses them by name: except*, generic code, template strings.
    *("CHECK_EG_MATCH", "PREP_RERAISE_STAR", "CALL_INTRINSIC_2"),
    *("BUILD_INTERPOLATION", "BUILD_TEMPLATE"),
    # Before 3.14 only generic code contains it, which CPython executes.
    "LOAD_FROM_DICT_OR_GLOBALS",
    # Only the code of a module, or of the prompt, contains them.
    *("IMPORT_STAR", "PRINT_EXPR"),
    # The compiler replaces them before the code object is made.
    *("ANNOTATIONS_PLACEHOLDER", "JUMP", "JUMP_NO_INTERRUPT", "JUMP_IF_FALSE", "JUMP_IF_TRUE"),
    *("LOAD_CLOSURE", "LOAD_METHOD", "LOAD_SUPER_METHOD", "LOAD_ZERO_SUPER_ATTR"),
    *("LOAD_ZERO_SUPER_METHOD", "POP_BLOCK", "SETUP_CLEANUP", "SETUP_FINALLY", "SETUP_WITH"),
    "STORE_FAST_MAYBE_NULL",
    # The interpreter puts them into code that it runs itself, or they stand for no instruction.
    *("INTERPRETER_EXIT", "ENTER_EXECUTOR", "TRACE_RECORD", "EXIT_INIT_CHECK", "CACHE", "RESERVED"),
}
"""Opcodes of `dis.opmap` that need no handler; specialised and instrumented ones aside."""

PLAIN = {
    *(("LOAD_METHOD",) if sys.version_info < (3, 12) else ()),
    *(("LOAD_CLOSURE",) if sys.version_info < (3, 13) else ()),
    *(("LOAD_FROM_DICT_OR_GLOBALS",) if sys.version_info >= (3, 14) else ()),
}
"""Those of `LEFT_OUT` that plain functions contain on this Python."""

# What a plain function can contain; `sys.monitoring` puts the instrumented ones in place of others.
POSSIBLE = {
    name
    for name in dis.opmap
    if not name.startswith("INSTRUMENTED_") and (name not in LEFT_OUT or name in PLAIN)
}
# The interpreter jumps past it in every loop that is not a generator's which it runs inline.
PASSED_OVER = {"END_FOR"}


def test_every_opcode_that_a_plain_function_can_contain_has_a_handler() -> None:
    assert set(HANDLERS) >= POSSIBLE


def test_the_corpus_executes_every_opcode() -> None:
    executed: set[str] = set()
    with contextlib.redirect_stdout(io.StringIO()):
        for function in corpus().values():
            executed |= offsets.opcodes_by_machine(function)
    assert POSSIBLE - executed <= PASSED_OVER
