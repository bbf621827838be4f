"""What an instruction does, in one line of plain words.

`_SENTENCES` has a template for each family of opcodes, such as ``"sets {name} of {1} to {0}"``, or
a function where the words depend on more than the opcode. `_fields` lists what a template may name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from string import Formatter

from hpml.bytecode.machine import Step
from hpml.widgets.stepper.words import Words, named

_MANY = 4
_NULL = "NULL"

_TO_SEE_IT = ". To see them run, step through something that asks it for values, such as list(...)"
_CALLS = {"CALL": 2, "CALL_KW": 3}
"""Calls, and how many values lie on the stack besides as many arguments as the number says."""

_OPERANDS = {
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "CONTAINS_OP", "STORE_ATTR"), 2),
    **dict.fromkeys(("BINARY_SLICE", "STORE_SUBSCR"), 3),
    **dict.fromkeys(("UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "UNARY_POSITIVE"), 1),
    **dict.fromkeys(("GET_ITER", "UNPACK_SEQUENCE", "UNPACK_EX", "LOAD_ATTR", "LOAD_METHOD"), 1),
    **dict.fromkeys(("TO_BOOL", "FORMAT_VALUE", "FORMAT_SIMPLE", "CONVERT_VALUE"), 1),
}
"""How many values at the top of the stack an instruction works on, where it may raise."""


def instruction_words(step: Step) -> Words:
    """Return what a step did, without where an exception of its went."""
    words = _does(step) if step.raised is None else _raises(step)
    return [("op", str(step.instruction)), " ", *words]


def locals_named(step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the variables that a step reads, and of those it writes.

    One instruction of 3.13 may do two such things, as ``STORE_FAST_LOAD_FAST x, y``.
    """
    name, first = step.opname, step.instruction.argrepr
    if name in ("LOAD_FAST_AND_CLEAR", "LOAD_CLOSURE") or not ("_FAST" in name or "DEREF" in name):
        return (), ()
    names = tuple(first.split(", ")) if name.count("_FAST") > 1 else (first,)
    if name.startswith("STORE_FAST_LOAD"):
        return names[1:], names[:1]
    return (names, ()) if name.startswith("LOAD") else ((), names)


def _does(step: Step) -> Words:
    for opcodes, sentence in _SENTENCES.items():
        if re.fullmatch(opcodes, step.opname):
            return _fill(sentence, step) if isinstance(sentence, str) else sentence(step)
    return _plainly(step)


def _fill(template: str, step: Step, **more: Words) -> Words:
    """Return a template's words, with what a step did in place of its fields."""
    fields = _fields(step) | more
    words: Words = []
    for text, field, *_ in Formatter().parse(template):
        words += [text, *(fields[field] if field else ())]
    return words


def _fields(step: Step) -> dict[str, Words]:
    """Return what each field of a template stands for; a number is a value taken, lowest first."""
    name = re.sub(r"NULL(\|self)? \+ | \+ NULL(\|self)?", "", step.instruction.argrepr)
    kind = "cell" if "DEREF" in step.opname else "place"
    gone, taken = _gone(step), _without_null(_gone(step))
    return {
        "function": [step.function],
        "name": [("name", name)],
        "first": [("name", name.split(", ")[0])],
        "last": [("name", name.split(", ")[-1])],
        "names": _separated("name", name.split(", "), " and "),
        "slot": [f"{kind} {step.instruction.arg} of the values array, ", ("name", name)],
        "gone": _listed("gone", gone),
        **{str(place): [("gone", value)] for place, value in enumerate(gone)},
        "takes": ["takes ", *_listed("gone", taken), " off the stack and "] if taken else [],
        "new": _listed("new", _without_null(step.pushed)),
        "jumps": [_jumps(step)],
    }


def _gone(step: Step) -> list[str]:
    """Return the values taken off the stack, the lowest first."""
    return [named(value) for value in step.stack_before[len(step.stack_before) - step.popped :]]


def _without_null(values: Sequence[str]) -> list[str]:
    return [value for value in values if value != _NULL]


def _listed(kind: str, values: Sequence[str]) -> Words:
    if len(values) > _MANY + 1:
        more = f" and {len(values) - _MANY} more"
        return [*_separated(kind, values[:_MANY], ", "), more]
    return _separated(kind, values, " and ")


def _separated(kind: str, values: Sequence[str], last: str) -> Words:
    words: Words = []
    for place, value in enumerate(values):
        words += ([last if place == len(values) - 1 else ", "] if place else []) + [
            (kind, named(value))
        ]
    return words


def _plainly(step: Step) -> Words:
    """Say what was taken off the stack and what was put on it."""
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
    # With an exception the stack is cut: what lay lower was not an operand of this instruction.
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
    return _fill("goes on in {function} where it had paused", step)


def _store_fast(step: Step) -> Words:
    if _gone(step) == [_NULL]:
        return _fill("takes the empty place off the stack: {name} has no value again", step)
    return _fill("takes {gone} off the stack and stores it in {slot}", step)


def _load_named(step: Step) -> Words:
    null = ", with an empty place (NULL) for the call" if _NULL in step.pushed else ""
    return _fill("looks up the name {name} and pushes {new}" + null, step)


def _load_attr(step: Step) -> Words:
    # A method comes with its object, which is its first argument: that stays on the stack.
    owner = _without_null(_gone(step)) or step.stack_before[-1:]
    return _fill("looks up {name} of {owner} and pushes {new}", step, owner=_listed("gone", owner))


def _unpack(step: Step) -> Words:
    template = "takes {gone} off the stack and pushes its items, the first on top: {items}"
    return _fill(template, step, items=_listed("new", step.pushed[::-1]))


def _test_jump(step: Step) -> Words:
    jumps = step.jumped_to is not None
    # None is asked for by name; anything else is asked whether it counts as true.
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
        template += "; there is none left: {jumps}"
    elif step.pushed:
        template += " and pushes {new}"
    return _fill(template, step)


def _call(step: Step) -> Words:
    what, *given = _without_null(_gone(step)) or [""]
    template = "calls {what}" if what else "makes the call"
    if given:
        template += " with {given}"
    if step.called is not None:
        template += ": a new frame begins, with an empty stack"
    elif step.pushed:
        template += " and pushes what it returns, {new}"
    return _fill(template, step, what=[("gone", what)], given=_listed("gone", given))


def _make_generator(step: Step) -> Words:
    made: Words = [("new", named(step.returned or "a generator"))]
    more = "" if step.depth else _TO_SEE_IT
    return _fill("makes {made}; none of its lines has run yet" + more, step, made=made)


def _return(step: Step) -> Words:
    value, *_ = _gone(step) or [named(step.returned or "")]
    taken = "takes {gone} off the stack: " if step.popped else ""
    return _fill(taken + "{function} returns {value}", step, value=[("new", value)])


def _yield(step: Step) -> Words:
    value, *_ = _gone(step) or [named(step.returned or "")]
    return _fill("hands {value} out; {function} pauses here", step, value=[("gone", value)])


def _copy(step: Step) -> Words:
    below = (step.instruction.arg or 1) - 1
    which = f"value that lies {below} below the top" if below else "same value"
    return _fill(f"pushes the {which} once more: {{new}}", step)


def _swap(step: Step) -> Words:
    top, other = (named(step.stack_after[-n]) for n in (1, step.instruction.arg or 2))
    template = "swaps two values: {top} is on top now, and {other} below"
    return _fill(template, step, top=[("new", top)], other=[("new", other)])


def _push_exception(step: Step) -> Words:
    template = "marks {error} as the exception being handled, and keeps the one before"
    return _fill(template, step, error=[("bad", step.stack_after[-1])])


def _match_exception(step: Step) -> Words:
    wanted = _gone(step)[-1:] or [named(step.stack_before[-1])]
    template = "asks whether the exception matches {kind} and pushes the answer, {new}"
    return _fill(template, step, kind=[("gone", wanted[0].removeprefix("class "))])


_SENTENCES: dict[str, str | Callable[[Step], Words]] = {
    "RESUME": _resume,
    "NOP|CACHE": "does nothing",
    "NOT_TAKEN": "does nothing: it marks where the jump above does not lead",
    "PRECALL": "gets the call that follows ready",
    "EXTENDED_ARG": "holds the upper part of the next instruction's number",
    "COPY_FREE_VARS": "brings in the cells that come from outside this function",
    "SETUP_ANNOTATIONS": "creates the dictionary of annotations",
    # Variables
    "LOAD_FAST_AND_CLEAR": "puts the variable {name} aside on the stack for a while",
    "LOAD_FAST.*_LOAD_FAST.*": "reads places of the values array, {names}, and pushes {new}",
    "LOAD_FAST.*|LOAD_DEREF|LOAD_CLASSDEREF": "reads {slot}, and pushes {new}",
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
    # Values that are made
    "LOAD_CONST": "pushes the constant {new}",
    "LOAD_BUILD_CLASS": "pushes what makes classes, {new}",
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
    "TO_BOOL": "{takes}pushes whether that counts as true: {new}",
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
    "PUSH_NULL": "pushes an empty place (NULL), which the call that follows expects there",
    "KW_NAMES": "holds the names of the last arguments of the call that follows",
    "CALL|CALL_KW|CALL_FUNCTION_EX": _call,
    "RETURN_GENERATOR": _make_generator,
    "RETURN_.*": _return,
    "YIELD_VALUE": _yield,
    # The stack itself
    "POP_TOP|END_FOR|END_SEND": "throws {gone} away: it is not used",
    "COPY": _copy,
    "SWAP": _swap,
    # Exceptions and `with`
    "PUSH_EXC_INFO": _push_exception,
    "POP_EXCEPT": "ends the handling of the exception",
    "CHECK_EXC_MATCH": _match_exception,
    "BEFORE_WITH": "enters {gone}: pushes its exit and what it gives, {new}",
}
"""What a step did, by its opcode: the first family that matches counts."""
