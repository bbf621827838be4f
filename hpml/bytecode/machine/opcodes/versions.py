"""The handlers of each CPython version's opcodes; new opcodes are unknown until added here."""

from __future__ import annotations

import operator

from hpml.bytecode.machine.opcodes import (
    calls,
    classes,
    containers,
    control,
    exceptions,
    generators,
    match,
    names,
    operators,
    stack,
)
from hpml.bytecode.machine.state import Handler
from hpml.bytecode.null import NULL
from hpml.bytecode.own_code import BUILTINS

__builtins__ = BUILTINS


def _is_none(value: object) -> bool:
    return value is None


def _is_not_none(value: object) -> bool:
    return value is not None


_ALWAYS: dict[str, Handler] = {
    # stack
    "NOP": stack.nop,
    "RESUME": stack.nop,
    "EXTENDED_ARG": stack.nop,
    "LOAD_CONST": stack.load_const,
    "POP_TOP": stack.pop_top,
    "PUSH_NULL": stack.push(NULL),
    "COPY": stack.copy,
    "SWAP": stack.swap,
    # names
    "LOAD_FAST": names.load_fast,
    "STORE_FAST": names.store_fast,
    "DELETE_FAST": names.delete_fast,
    "MAKE_CELL": names.make_cell,
    "COPY_FREE_VARS": names.copy_free_vars,
    "LOAD_DEREF": names.load_deref,
    "STORE_DEREF": names.store_deref,
    "DELETE_DEREF": names.delete_deref,
    "STORE_GLOBAL": names.store_global,
    "DELETE_GLOBAL": names.delete_global,
    "LOAD_NAME": names.load_name,
    "STORE_NAME": names.store_name,
    "DELETE_NAME": names.delete_name,
    "SETUP_ANNOTATIONS": names.setup_annotations,
    "STORE_ATTR": names.store_attr,
    "DELETE_ATTR": names.delete_attr,
    # operators
    "BINARY_OP": operators.binary_op,
    "CONTAINS_OP": operators.contains_op,
    "IS_OP": operators.is_op,
    "UNARY_NOT": operators.unary(operator.not_),
    "UNARY_NEGATIVE": operators.unary(operator.neg),
    "UNARY_INVERT": operators.unary(operator.invert),
    "STORE_SUBSCR": operators.store_subscr,
    "DELETE_SUBSCR": operators.delete_subscr,
    "BUILD_SLICE": operators.build_slice,
    # control
    "JUMP_FORWARD": control.jump,
    "JUMP_BACKWARD": control.jump,
    "JUMP_BACKWARD_NO_INTERRUPT": control.jump,
    "GET_ITER": operators.unary(iter),
    "RETURN_VALUE": control.return_value,
    # containers
    "BUILD_TUPLE": containers.build(tuple),
    "BUILD_LIST": containers.build(list),
    "BUILD_SET": containers.build(set),
    "BUILD_MAP": containers.build_map,
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
    "GET_YIELD_FROM_ITER": generators.get_yield_from_iter,
    # classes, imports, with
    "LOAD_BUILD_CLASS": classes.load_build_class,
    "IMPORT_NAME": classes.import_name,
    "IMPORT_FROM": classes.import_from,
    # match
    "MATCH_SEQUENCE": match.match_flag(match.SEQUENCE),
    "MATCH_MAPPING": match.match_flag(match.MAPPING),
    "MATCH_KEYS": match.match_keys,
    "MATCH_CLASS": match.match_class,
    "GET_LEN": match.get_len,
}

_UNTIL_3_13: dict[str, Handler] = {
    **_ALWAYS,
    "BINARY_SUBSCR": operators.binary(operator.getitem),
    "BUILD_CONST_KEY_MAP": containers.build_const_key_map,
    "CALL_FUNCTION_EX": calls.call_function_ex_with_flag,
    "LOAD_ASSERTION_ERROR": stack.push(AssertionError),
    "BEFORE_WITH": classes.before_with,
    "WITH_EXCEPT_START": classes.with_except_start_bound,
}

_3_11: dict[str, Handler] = {
    **_UNTIL_3_13,
    "LOAD_CLOSURE": names.load_closure,
    "LOAD_CLASSDEREF": names.load_classderef,
    "LOAD_GLOBAL": names.load_global(null_first=True),
    "LOAD_ATTR": names.load_attr,
    "LOAD_METHOD": names.load_method,
    "COMPARE_OP": operators.compare_op,
    "UNARY_POSITIVE": operators.unary(operator.pos),
    "FORMAT_VALUE": operators.format_value,
    "FOR_ITER": control.for_iter(0),
    "JUMP_IF_TRUE_OR_POP": control.jump_or_pop(bool),
    "JUMP_IF_FALSE_OR_POP": control.jump_or_pop(operator.not_),
    "POP_JUMP_FORWARD_IF_TRUE": control.pop_jump_if(bool),
    "POP_JUMP_FORWARD_IF_FALSE": control.pop_jump_if(operator.not_),
    "POP_JUMP_FORWARD_IF_NONE": control.pop_jump_if(_is_none),
    "POP_JUMP_FORWARD_IF_NOT_NONE": control.pop_jump_if(_is_not_none),
    "POP_JUMP_BACKWARD_IF_TRUE": control.pop_jump_if(bool),
    "POP_JUMP_BACKWARD_IF_FALSE": control.pop_jump_if(operator.not_),
    "POP_JUMP_BACKWARD_IF_NONE": control.pop_jump_if(_is_none),
    "POP_JUMP_BACKWARD_IF_NOT_NONE": control.pop_jump_if(_is_not_none),
    "LIST_TO_TUPLE": operators.unary(tuple),
    "KW_NAMES": calls.kw_names,
    "PRECALL": stack.nop,
    "CALL": calls.call_with_function_above,
    "MAKE_FUNCTION": calls.make_function,
    "SEND": generators.send_and_drop,
}

_SINCE_3_12: dict[str, Handler] = {
    "LOAD_FAST_CHECK": names.load_fast,
    "LOAD_FAST_AND_CLEAR": names.load_fast_and_clear,
    "LOAD_FROM_DICT_OR_DEREF": names.load_from_dict_or_deref,
    "LOAD_LOCALS": names.load_locals,
    "BINARY_SLICE": operators.binary_slice,
    "STORE_SLICE": operators.store_slice,
    "POP_JUMP_IF_TRUE": control.pop_jump_if(bool),
    "POP_JUMP_IF_FALSE": control.pop_jump_if(operator.not_),
    "POP_JUMP_IF_NONE": control.pop_jump_if(_is_none),
    "POP_JUMP_IF_NOT_NONE": control.pop_jump_if(_is_not_none),
    "CALL_INTRINSIC_1": operators.call_intrinsic_1,
    "SEND": generators.send,
    "END_SEND": generators.end_send,
    "CLEANUP_THROW": generators.cleanup_throw,
}

_3_12: dict[str, Handler] = {
    **_UNTIL_3_13,
    **_SINCE_3_12,
    "RETURN_CONST": control.return_const,
    "LOAD_CLOSURE": names.load_closure,
    "LOAD_GLOBAL": names.load_global(null_first=True),
    "LOAD_ATTR": names.load_attr_or_method(null_first=True),
    "LOAD_SUPER_ATTR": names.load_super_attr(null_first=True),
    "COMPARE_OP": operators.compare_op,
    "FORMAT_VALUE": operators.format_value,
    "FOR_ITER": control.for_iter(1),
    "END_FOR": control.end_for_pops_two,
    "KW_NAMES": calls.kw_names,
    "CALL": calls.call_with_function_above,
    "MAKE_FUNCTION": calls.make_function,
}

_SINCE_3_13: dict[str, Handler] = {
    "LOAD_FAST_LOAD_FAST": names.load_fast_load_fast,
    "STORE_FAST_LOAD_FAST": names.store_fast_load_fast,
    "STORE_FAST_STORE_FAST": names.store_fast_store_fast,
    "LOAD_GLOBAL": names.load_global(null_first=False),
    "LOAD_ATTR": names.load_attr_or_method(null_first=False),
    "LOAD_SUPER_ATTR": names.load_super_attr(null_first=False),
    "COMPARE_OP": operators.compare_op_to_bool,
    "TO_BOOL": operators.unary(bool),
    "CONVERT_VALUE": operators.convert_value,
    "FORMAT_SIMPLE": operators.unary(format),
    "FORMAT_WITH_SPEC": operators.binary(format),
    "END_FOR": stack.pop_top,
    "CALL": calls.call_with_function_below,
    "CALL_KW": calls.call_kw,
    "MAKE_FUNCTION": calls.make_plain_function,
    "SET_FUNCTION_ATTRIBUTE": calls.set_function_attribute,
}

_3_13: dict[str, Handler] = {
    **_UNTIL_3_13,
    **_SINCE_3_12,
    **_SINCE_3_13,
    "RETURN_CONST": control.return_const,
    "FOR_ITER": control.for_iter(2),
}

_3_14: dict[str, Handler] = {
    **_ALWAYS,
    **_SINCE_3_12,
    **_SINCE_3_13,
    "LOAD_SMALL_INT": stack.load_small_int,
    "LOAD_COMMON_CONSTANT": stack.load_common_constant,
    "NOT_TAKEN": stack.nop,
    "POP_ITER": stack.pop_top,
    "LOAD_FAST_BORROW": names.load_fast,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": names.load_fast_load_fast,
    "LOAD_FROM_DICT_OR_GLOBALS": names.load_from_dict_or_globals,
    "FOR_ITER": control.for_iter(1, keeps_iterator=True),
    "CALL_FUNCTION_EX": calls.call_function_ex,
    "LOAD_SPECIAL": classes.load_special,
    "WITH_EXCEPT_START": classes.with_except_start,
}

HANDLERS: dict[str, dict[str, Handler]] = {
    "3.11": _3_11,
    "3.12": _3_12,
    "3.13": _3_13,
    "3.14": _3_14,
}
"""Handlers of opcodes, by version of CPython."""
