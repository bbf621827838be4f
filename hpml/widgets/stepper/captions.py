"""Describe the effect of an instruction in one sentence.

`_SENTENCES` has a template for each family of opcodes, such as ``"sets {name} of {1} to {0}"``, or
a function if the sentence depends on more than the opcode. `_fields` lists the template's fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from string import Formatter

from hpml.bytecode.machine import Step
from hpml.widgets.stepper.words import Words, without_brackets

_MANY = 4
_NULL = "NULL"

_GENERATOR_HINT = (
    ". To see them run, step through a call that consumes the generator, such as list(...)"
)
_CALLS = {"CALL": 2, "CALL_KW": 3}
"""Calls, and the number of values that they take off the stack besides `arg` arguments."""

_OPERANDS = {
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "CONTAINS_OP", "STORE_ATTR"), 2),
    **dict.fromkeys(("BINARY_SLICE", "STORE_SUBSCR"), 3),
    **dict.fromkeys(("UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "UNARY_POSITIVE"), 1),
    **dict.fromkeys(("GET_ITER", "UNPACK_SEQUENCE", "UNPACK_EX", "LOAD_ATTR", "LOAD_METHOD"), 1),
    **dict.fromkeys(("TO_BOOL", "FORMAT_VALUE", "FORMAT_SIMPLE", "CONVERT_VALUE"), 1),
}
"""Number of operands, for instructions that may raise."""


def instruction_words(step: Step) -> Words:
    """Return a sentence about a step, without the handler of its exception."""
    words = _effect(step) if step.raised is None else _raises(step)
    return [("op", str(step.instruction)), " ", *words]


def accessed_variables(step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the variables that a step reads, and of those that it writes."""
    name, first = step.opname, step.instruction.argrepr
    if name in ("LOAD_FAST_AND_CLEAR", "LOAD_CLOSURE") or not ("_FAST" in name or "DEREF" in name):
        return (), ()
    names = tuple(first.split(", ")) if name.count("_FAST") > 1 else (first,)
    if name.startswith("STORE_FAST_LOAD"):
        return names[1:], names[:1]
    return (names, ()) if name.startswith("LOAD") else ((), names)


def _effect(step: Step) -> Words:
    for opcodes, sentence in _SENTENCES.items():
        if re.fullmatch(opcodes, step.opname):
            return _fill(sentence, step) if isinstance(sentence, str) else sentence(step)
    return _stack_effect(step)


def _fill(template: str, step: Step, **more: Words) -> Words:
    """Return the words of a template, with its fields filled in from a step."""
    fields = _fields(step) | more
    words: Words = []
    for text, field, *_ in Formatter().parse(template):
        words += [text, *(fields[field] if field else ())]
    return words


def _fields(step: Step) -> dict[str, Words]:
    """Return the fields of templates; a number is the index of a popped value, lowest first."""
    name = re.sub(r"NULL(\|self)? \+ | \+ NULL(\|self)?", "", step.instruction.argrepr)
    kind = "the cell at " if "DEREF" in step.opname else ""
    gone, taken = _gone(step), _without_null(_gone(step))
    return {
        "function": [step.function],
        "name": [("name", name)],
        "first": [("name", name.split(", ")[0])],
        "last": [("name", name.split(", ")[-1])],
        "names": _separated("name", name.split(", "), " and "),
        "slot": [("name", name), f" ({kind}index {step.instruction.arg} of the values array)"],
        "gone": _listed("gone", gone),
        **{str(index): [("gone", value)] for index, value in enumerate(gone)},
        "takes": ["takes ", *_listed("gone", taken), " off the stack and "] if taken else [],
        "new": _listed("new", _without_null(step.pushed)),
        "jumps": [_jumps(step)],
    }


def _gone(step: Step) -> list[str]:
    """Return the values taken off the stack, the lowest first."""
    gone = step.stack_before[len(step.stack_before) - step.popped :]
    return [without_brackets(value) for value in gone]


def _without_null(values: Sequence[str]) -> list[str]:
    return [value for value in values if value != _NULL]


def _listed(kind: str, values: Sequence[str]) -> Words:
    if len(values) > _MANY + 1:
        more = f" and {len(values) - _MANY} more"
        return [*_separated(kind, values[:_MANY], ", "), more]
    return _separated(kind, values, " and ")


def _separated(kind: str, values: Sequence[str], last: str) -> Words:
    words: Words = []
    for index, value in enumerate(values):
        words += ([last if index == len(values) - 1 else ", "] if index else []) + [
            (kind, without_brackets(value))
        ]
    return words


def _stack_effect(step: Step) -> Words:
    """Return which values were taken off the stack and pushed."""
    if _without_null(step.pushed):
        return _fill("{takes}pushes {new}", step)
    if taken := _without_null(_gone(step)):
        return ["takes ", *_listed("gone", taken), " off the stack"]
    return ["leaves the stack as it is"]


def _raises(step: Step) -> Words:
    raised: Words = ["raises ", ("bad", str(step.raised))]
    if step.opname == "RERAISE":
        return [*raised, " again"]
    count = _OPERANDS.get(step.opname, 0)
    number = step.instruction.arg or 0
    if step.opname == "RAISE_VARARGS":
        count = number
    elif step.opname in _CALLS:
        count = number + _CALLS[step.opname]
    # An exception cuts the stack below the operands as well.
    low = max(0, len(step.stack_before) - count)
    taken = _without_null(step.stack_before[low:])
    if taken and step.opname in _CALLS:
        return ["calls ", *_listed("gone", taken[:1]), ", which ", *raised]
    if taken:
        return ["takes ", *_listed("gone", taken), " off the stack and ", *raised]
    return raised


def _resume(step: Step) -> Words:
    if step.instruction.arg == 0:
        return _fill("begins {function}; it changes nothing", step)
    return _fill("resumes {function} where it was suspended", step)


def _store_fast(step: Step) -> Words:
    if _gone(step) == [_NULL]:
        return _fill("takes NULL off the stack: {name} has no value again", step)
    return _fill("takes {gone} off the stack and stores it in {slot}", step)


def _load_named(step: Step) -> Words:
    null = ", and NULL for the call" if _NULL in step.pushed else ""
    return _fill("looks up the name {name} and pushes {new}" + null, step)


def _load_attr(step: Step) -> Words:
    # With a method, its object stays on the stack as the first argument.
    owner = _without_null(_gone(step)) or step.stack_before[-1:]
    return _fill("looks up {name} of {owner} and pushes {new}", step, owner=_listed("gone", owner))


def _unpack(step: Step) -> Words:
    template = "takes {gone} off the stack and pushes its items, the first on top: {items}"
    return _fill(template, step, items=_listed("new", step.pushed[::-1]))


def _test_jump(step: Step) -> Words:
    jumps = step.jumped_to is not None
    if "NONE" in step.opname:
        verdict = "is None" if ("NOT" in step.opname) != jumps else "is not None"
    else:
        verdict = "is true" if ("TRUE" in step.opname) == jumps else "is not true"
    end = verdict + (": {jumps}" if jumps else ": no jump")
    if step.popped:
        return _fill("takes {gone} off the stack; it " + end, step)
    return _fill("looks at {top}, which " + end, step, top=_listed("name", step.stack_before[-1:]))


def _jumps(step: Step) -> str:
    back = step.jumped_to is not None and step.jumped_to < step.offset
    return f"jumps {'back ' if back else ''}to {step.jumped_to}"


def _for_iter(step: Step) -> Words:
    template = "asks the iterator for its next value"
    if step.jumped_to is not None:
        template += ", but it is exhausted: {jumps}"
    elif step.pushed:
        template += " and pushes {new}"
    return _fill(template, step)


def _call(step: Step) -> Words:
    callee, *arguments = _without_null(_gone(step)) or [""]
    template = "calls {callee}" if callee else "makes the call"
    if arguments:
        template += " with {arguments}"
    if step.called is not None:
        template += ": a new frame begins, with an empty stack"
    elif step.pushed:
        template += " and pushes the returned value, {new}"
    fields: dict[str, Words] = {
        "callee": [("gone", callee)],
        "arguments": _listed("gone", arguments),
    }
    return _fill(template, step, **fields)


def _make_generator(step: Step) -> Words:
    generator: Words = [("new", without_brackets(step.returned or "a generator"))]
    hint = "" if step.depth else _GENERATOR_HINT
    template = "creates {generator}; none of its lines has run yet" + hint
    return _fill(template, step, generator=generator)


def _return(step: Step) -> Words:
    value, *_ = _gone(step) or [without_brackets(step.returned or "")]
    taken = "takes {gone} off the stack: " if step.popped else ""
    return _fill(taken + "{function} returns {value}", step, value=[("new", value)])


def _yield(step: Step) -> Words:
    value, *_ = _gone(step) or [without_brackets(step.returned or "")]
    return _fill("yields {value}; {function} is suspended", step, value=[("gone", value)])


def _copy(step: Step) -> Words:
    below = (step.instruction.arg or 1) - 1
    which = f"value {below} below the top" if below else "top value"
    return _fill(f"pushes the {which} again: {{new}}", step)


def _swap(step: Step) -> Words:
    top, other = (without_brackets(step.stack_after[-n]) for n in (1, step.instruction.arg or 2))
    template = "swaps two values: {top} is on top now, and {other} below"
    return _fill(template, step, top=[("new", top)], other=[("new", other)])


def _push_exception(step: Step) -> Words:
    template = "makes {error} the handled exception, and pushes the one handled before"
    return _fill(template, step, error=[("bad", step.stack_after[-1])])


def _match_exception(step: Step) -> Words:
    kind, *_ = _gone(step)[-1:] or [without_brackets(step.stack_before[-1])]
    template = "tests whether the exception matches {kind} and pushes the answer, {new}"
    return _fill(template, step, kind=[("gone", kind.removeprefix("class "))])


_SENTENCES: dict[str, str | Callable[[Step], Words]] = {
    "RESUME": _resume,
    "NOP|CACHE": "does nothing",
    "NOT_TAKEN": "does nothing: it marks the branch without a jump",
    "PRECALL": "prepares the following call",
    "EXTENDED_ARG": "contains the upper bits of the next instruction's argument",
    "COPY_FREE_VARS": "copies the cells of the enclosing functions into this frame",
    "SETUP_ANNOTATIONS": "creates the dictionary of annotations",
    # Variables
    "LOAD_FAST_AND_CLEAR": "saves the variable {name} on the stack and clears it",
    "LOAD_FAST.*_LOAD_FAST.*": "reads {names} from the values array and pushes {new}",
    "LOAD_FAST.*|LOAD_DEREF|LOAD_CLASSDEREF": "reads {slot} and pushes {new}",
    "LOAD_CLOSURE": "pushes the cell of {name} itself",
    "STORE_FAST_LOAD_FAST": (
        "takes {gone} off the stack into {first}, then reads {last} and pushes {new}"
    ),
    "STORE_FAST_STORE_FAST": "takes {1} and {0} off the stack and stores them as {names}",
    "STORE_FAST.*": _store_fast,
    "STORE_DEREF": "takes {gone} off the stack and stores it in {slot}",
    "LOAD_GLOBAL|LOAD_NAME|LOAD_FROM_DICT.*": _load_named,
    "STORE_GLOBAL|STORE_NAME": "takes {gone} off the stack and names it {name}",
    "MAKE_CELL": "puts {name} into a cell, which inner functions can share",
    # Attributes and items
    "LOAD_ATTR|LOAD_METHOD|LOAD_SUPER_ATTR|IMPORT_FROM": _load_attr,
    "STORE_ATTR": "sets {name} of {1} to {0}",
    "STORE_SUBSCR": "takes all three off the stack and stores {0} in {1} at {2}",
    "STORE_SLICE": "stores {0} in {1} at {2} to {3}",
    "DELETE_SUBSCR": "takes {gone} off the stack and deletes that item",
    "DELETE_ATTR": "takes {gone} off the stack and deletes its attribute {name}",
    "DELETE_.*": "deletes {name}",
    # New values
    "LOAD_CONST": "pushes the constant {new}",
    "LOAD_BUILD_CLASS": "pushes the function that creates classes, {new}",
    "LOAD_ASSERTION_ERROR": "pushes {new}",
    "BUILD_LIST": "{takes}pushes the list {new}",
    "BUILD_TUPLE": "{takes}pushes the tuple {new}",
    "BUILD_SET": "{takes}pushes the set {new}",
    "BUILD_MAP|BUILD_CONST_KEY_MAP": "{takes}pushes the dictionary {new}",
    "BUILD_SLICE": "{takes}pushes the slice {new}",
    "BUILD_STRING": "{takes}pushes the joined text {new}",
    "MAKE_FUNCTION": "{takes}pushes a new {new}",
    "GET_ITER|GET_YIELD_FROM_ITER": "{takes}pushes an iterator over it, {new}",
    "GET_LEN": "{takes}pushes the length of the value below, {new}",
    "FORMAT_VALUE|FORMAT_SIMPLE|FORMAT_WITH_SPEC|CONVERT_VALUE": "{takes}pushes it as text, {new}",
    "TO_BOOL": "{takes}pushes its truth value, {new}",
    "UNPACK_.*": _unpack,
    "LIST_APPEND": "takes {gone} off the stack and appends it to the list",
    "LIST_EXTEND": "takes {gone} off the stack and adds its items to the list",
    "SET_ADD": "takes {gone} off the stack and adds it to the set",
    "SET_UPDATE": "takes {gone} off the stack and adds its items to the set",
    "MAP_ADD": "takes {gone} off the stack and puts them, key and value, into the dictionary",
    "DICT_UPDATE|DICT_MERGE": "takes {gone} off the stack and puts its items into the dictionary",
    # Jumps, calls, generators
    "POP_JUMP_.*|JUMP_IF_.*": _test_jump,
    "JUMP_.*": "{jumps}",
    "FOR_ITER": _for_iter,
    "PUSH_NULL": "pushes NULL, which the following call expects",
    "KW_NAMES": "contains the names of the following call's keyword arguments",
    "CALL|CALL_KW|CALL_FUNCTION_EX": _call,
    "RETURN_GENERATOR": _make_generator,
    "RETURN_.*": _return,
    "YIELD_VALUE": _yield,
    # The stack itself
    "POP_TOP|END_FOR|END_SEND": "discards {gone}",
    "COPY": _copy,
    "SWAP": _swap,
    # Exceptions and `with`
    "PUSH_EXC_INFO": _push_exception,
    "POP_EXCEPT": "ends the handling of the exception",
    "CHECK_EXC_MATCH": _match_exception,
    "BEFORE_WITH": "enters {gone}: pushes its __exit__ and the value of its __enter__, {new}",
}
"""Sentences by pattern of opcodes; the first that matches is used."""
