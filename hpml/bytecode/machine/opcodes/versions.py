"""The handlers of the running CPython's opcodes; new opcodes are unknown until added here."""

from __future__ import annotations

import operator
import sys

from hpml.bytecode.machine.opcodes import (
    calls,
    classes,
    containers,
    control,
    exceptions,
    generators,
    iteration,
    managers,
    match,
    names,
    operators,
    stack,
)
from hpml.bytecode.machine.state import Handler
from hpml.bytecode.null import NULL

HANDLERS: dict[str, Handler] = {
    # stack
    "NOP": stack.nop,
    "RESUME": stack.nop,
    "EXTENDED_ARG": stack.nop,
    "PRECALL": stack.nop,
    "NOT_TAKEN": stack.nop,
    "LOAD_CONST": stack.load_const,
    "LOAD_SMALL_INT": stack.load_const,
    "LOAD_COMMON_CONSTANT": stack.load_common_constant,
    "LOAD_ASSERTION_ERROR": stack.push(AssertionError),
    "POP_TOP": stack.pop_top,
    "POP_ITER": iteration.pop_iter,
    "PUSH_NULL": stack.push(NULL),
    "COPY": stack.copy,
    "SWAP": stack.swap,
    # names
    "LOAD_FAST": names.load_fast,
    "LOAD_FAST_CHECK": names.load_fast,
    "LOAD_FAST_BORROW": names.load_fast,
    "LOAD_FAST_AND_CLEAR": names.load_fast_and_clear,
    "LOAD_FAST_LOAD_FAST": names.load_fast_load_fast,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": names.load_fast_load_fast,
    "STORE_FAST": names.store_fast,
    "STORE_FAST_LOAD_FAST": names.store_fast_load_fast,
    "STORE_FAST_STORE_FAST": names.store_fast_store_fast,
    "DELETE_FAST": names.delete_fast,
    "MAKE_CELL": names.make_cell,
    "COPY_FREE_VARS": names.copy_free_vars,
    "LOAD_CLOSURE": names.load_fast,
    "LOAD_DEREF": names.load_deref,
    "STORE_DEREF": names.store_deref,
    "DELETE_DEREF": names.delete_deref,
    "LOAD_CLASSDEREF": names.load_classderef,
    "LOAD_FROM_DICT_OR_DEREF": names.load_from_dict_or_deref,
    "LOAD_GLOBAL": names.load_global,
    "STORE_GLOBAL": names.store_global,
    "DELETE_GLOBAL": names.delete_global,
    "LOAD_FROM_DICT_OR_GLOBALS": names.load_from_dict_or_globals,
    "LOAD_LOCALS": names.load_locals,
    "LOAD_NAME": names.load_name,
    "STORE_NAME": names.store_name,
    "DELETE_NAME": names.delete_name,
    "SETUP_ANNOTATIONS": names.setup_annotations,
    "LOAD_ATTR": names.load_attr if sys.version_info < (3, 12) else names.load_attr_or_method,
    "LOAD_METHOD": names.load_method,
    "LOAD_SUPER_ATTR": names.load_super_attr,
    "STORE_ATTR": names.store_attr,
    "DELETE_ATTR": names.delete_attr,
    # operators
    "BINARY_OP": operators.binary_op,
    "BINARY_SUBSCR": operators.replace(2, operator.getitem),
    "BINARY_SLICE": operators.replace(3, lambda owner, *ends: owner[slice(*ends)]),
    "STORE_SUBSCR": operators.effect(
        3, lambda value, owner, key: operator.setitem(owner, key, value)
    ),
    "STORE_SLICE": operators.effect(
        4, lambda value, owner, *ends: operator.setitem(owner, slice(*ends), value)
    ),
    "DELETE_SUBSCR": operators.effect(2, operator.delitem),
    "COMPARE_OP": operators.compare_op,
    "CONTAINS_OP": operators.contains_op,
    "IS_OP": operators.is_op,
    "UNARY_NOT": operators.replace(1, operator.not_),
    "UNARY_POSITIVE": operators.replace(1, operator.pos),
    "UNARY_NEGATIVE": operators.replace(1, operator.neg),
    "UNARY_INVERT": operators.replace(1, operator.invert),
    "TO_BOOL": operators.replace(1, bool),
    "FORMAT_VALUE": operators.format_value,
    "CONVERT_VALUE": operators.convert_value,
    "FORMAT_SIMPLE": operators.replace(1, format),
    "FORMAT_WITH_SPEC": operators.replace(2, format),
    "LIST_TO_TUPLE": operators.replace(1, tuple),
    "CALL_INTRINSIC_1": operators.call_intrinsic_1,
    # control
    "JUMP_FORWARD": control.jump,
    "JUMP_BACKWARD": control.jump,
    "JUMP_BACKWARD_NO_INTERRUPT": control.jump,
    "JUMP_IF_TRUE_OR_POP": control.jump_or_pop(bool),
    "JUMP_IF_FALSE_OR_POP": control.jump_or_pop(operator.not_),
    **{
        f"POP_JUMP_{direction}IF_{name}": control.pop_jump_if(test)
        for direction in ("", "FORWARD_", "BACKWARD_")
        for name, test in control.TESTS.items()
    },
    "GET_ITER": iteration.get_iter,
    "FOR_ITER": iteration.for_iter,
    "END_FOR": stack.pop_top,  # never executed: FOR_ITER jumps past it
    "RETURN_VALUE": control.return_value,
    "RETURN_CONST": control.return_const,
    # calls
    "KW_NAMES": calls.kw_names,
    "CALL": calls.call_positional,
    "CALL_KW": calls.call_kw,
    "CALL_FUNCTION_EX": calls.call_function_ex,
    "MAKE_FUNCTION": (
        calls.make_function if sys.version_info < (3, 13) else calls.make_plain_function
    ),
    "SET_FUNCTION_ATTRIBUTE": calls.set_function_attribute,
    # containers
    "BUILD_TUPLE": containers.build(tuple),
    "BUILD_LIST": containers.build(list),
    "BUILD_SET": containers.build(set),
    "BUILD_SLICE": containers.build(lambda parts: slice(*parts)),
    "BUILD_MAP": containers.build_map,
    "BUILD_CONST_KEY_MAP": containers.build_const_key_map,
    "BUILD_STRING": containers.build("".join),
    "LIST_APPEND": containers.grow(list.append),
    "SET_ADD": containers.grow(set.add),
    "MAP_ADD": containers.map_add,
    "LIST_EXTEND": containers.list_extend,
    "SET_UPDATE": containers.grow(set.update),
    "DICT_UPDATE": containers.dict_update,
    "DICT_MERGE": containers.dict_merge,
    "UNPACK_SEQUENCE": containers.unpack_sequence,
    "UNPACK_EX": containers.unpack_ex,
    # exceptions
    "RAISE_VARARGS": exceptions.raise_varargs,
    "RERAISE": exceptions.reraise,
    "PUSH_EXC_INFO": exceptions.push_exc_info,
    "POP_EXCEPT": exceptions.pop_except,
    "CHECK_EXC_MATCH": exceptions.check_exc_match,
    # generators
    "RETURN_GENERATOR": generators.return_generator,
    "YIELD_VALUE": generators.yield_value,
    "GET_YIELD_FROM_ITER": iteration.get_yield_from_iter,
    "SEND": generators.send,
    "END_SEND": generators.end_send,
    "CLEANUP_THROW": generators.cleanup_throw,
    # classes, imports, with
    "LOAD_BUILD_CLASS": classes.load_build_class,
    "IMPORT_NAME": classes.import_name,
    "IMPORT_FROM": classes.import_from,
    "BEFORE_WITH": managers.before_with,
    "LOAD_SPECIAL": managers.load_special,
    "WITH_EXCEPT_START": managers.with_except_start,
    # match
    "MATCH_SEQUENCE": match.match_flag(match.SEQUENCE),
    "MATCH_MAPPING": match.match_flag(match.MAPPING),
    "MATCH_KEYS": match.match_keys,
    "MATCH_CLASS": match.match_class,
    "GET_LEN": match.get_len,
}
"""The handlers, by opcode. A version of CPython uses those of the opcodes that it has."""
