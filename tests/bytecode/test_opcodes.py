"""The tables of opcodes are complete, and hold nothing that this Python does not have."""

from __future__ import annotations

import contextlib
import dis
import io
import sys

from hpml.bytecode.machine.opcodes.versions import HANDLERS
from tests.bytecode import offsets
from tests.bytecode.cases import corpus

_ASYNC = "only async code contains it"
_COMPILER = "the compiler replaces it before the code object is made"
_REFUSED = "the machine refuses it by name"
_MODULE = "only the code of a module, or of the prompt, contains it"
_GENERIC = "before 3.14 only generic code contains it, which CPython executes"
_INTERPRETER = "the interpreter puts it into code that it runs itself"

LEFT_OUT: dict[str, str] = {
    "ASYNC_GEN_WRAP": _ASYNC,
    "BEFORE_ASYNC_WITH": _ASYNC,
    "END_ASYNC_FOR": _ASYNC,
    "GET_AITER": _ASYNC,
    "GET_ANEXT": _ASYNC,
    "GET_AWAITABLE": _ASYNC,
    "CHECK_EG_MATCH": _REFUSED,
    "PREP_RERAISE_STAR": _REFUSED,
    "CALL_INTRINSIC_2": _REFUSED,
    "BUILD_INTERPOLATION": _REFUSED,
    "BUILD_TEMPLATE": _REFUSED,
    "LOAD_FROM_DICT_OR_GLOBALS": _GENERIC,
    "IMPORT_STAR": _MODULE,
    "PRINT_EXPR": _MODULE,
    "CACHE": "it is room for what the interpreter learns, and dis does not list it",
    "RESERVED": "it stands for no instruction",
    "JUMP": _COMPILER,
    "JUMP_NO_INTERRUPT": _COMPILER,
    "JUMP_IF_FALSE": _COMPILER,
    "JUMP_IF_TRUE": _COMPILER,
    "ANNOTATIONS_PLACEHOLDER": _COMPILER,
    "LOAD_METHOD": _COMPILER,
    "LOAD_SUPER_METHOD": _COMPILER,
    "LOAD_ZERO_SUPER_ATTR": _COMPILER,
    "LOAD_ZERO_SUPER_METHOD": _COMPILER,
    "LOAD_CLOSURE": _COMPILER,
    "POP_BLOCK": _COMPILER,
    "SETUP_CLEANUP": _COMPILER,
    "SETUP_FINALLY": _COMPILER,
    "SETUP_WITH": _COMPILER,
    "STORE_FAST_MAYBE_NULL": _COMPILER,
    "INTERPRETER_EXIT": _INTERPRETER,
    "ENTER_EXECUTOR": _INTERPRETER,
    "EXIT_INIT_CHECK": _INTERPRETER,
}
"""Why an opcode of `dis.opmap` needs no handler; specialised and instrumented ones aside."""

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
    assert all(LEFT_OUT.values()), "each that is left out has a reason"


def test_the_corpus_executes_every_opcode() -> None:
    executed: set[str] = set()
    with contextlib.redirect_stdout(io.StringIO()):
        for function in corpus().values():
            executed |= offsets.opcodes_by_machine(function)
    assert POSSIBLE - executed <= PASSED_OVER
