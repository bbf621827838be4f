"""What an instruction does, in one line of plain words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hpml.bytecode.machine import Step
from hpml.widgets.stepper.words import Words, named

_MANY = 4
_NULL = "NULL"

_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM")
_NOTHING = {
    "NOP": "does nothing",
    "NOT_TAKEN": "does nothing: it marks where the jump above does not lead",
    "CACHE": "does nothing",
    "PRECALL": "gets the call that follows ready",
    "EXTENDED_ARG": "holds the upper part of the next instruction's number",
    "COPY_FREE_VARS": "brings in the cells that come from outside this function",
    "SETUP_ANNOTATIONS": "creates the dictionary of annotations",
}
_KINDS = {
    "BUILD_LIST": "the list ",
    "BUILD_TUPLE": "the tuple ",
    "BUILD_SET": "the set ",
    "BUILD_MAP": "the dictionary ",
    "BUILD_CONST_KEY_MAP": "the dictionary ",
    "BUILD_SLICE": "the slice ",
    "BUILD_STRING": "the joined text ",
    "GET_ITER": "an iterator over it, ",
    "GET_YIELD_FROM_ITER": "an iterator over it, ",
    "GET_LEN": "the length of the value below, ",
    "LOAD_CONST": "the constant ",
    "LOAD_BUILD_CLASS": "what makes classes, ",
    "LOAD_ASSERTION_ERROR": "the exception class ",
    "MAKE_FUNCTION": "a new ",
    "FORMAT_VALUE": "it as text, ",
    "FORMAT_SIMPLE": "it as text, ",
    "FORMAT_WITH_SPEC": "it as text, ",
    "CONVERT_VALUE": "it as text, ",
    "TO_BOOL": "whether that counts as true: ",
}
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

_GROWS = {
    "LIST_APPEND": "appends it to the list",
    "LIST_EXTEND": "adds its items to the list",
    "SET_ADD": "adds it to the set",
    "SET_UPDATE": "adds its items to the set",
    "MAP_ADD": "puts them, key and value, into the dictionary",
    "DICT_UPDATE": "puts its items into the dictionary",
    "DICT_MERGE": "puts its items into the dictionary",
}


def instruction_words(step: Step) -> Words:
    """Return what a step did, without where an exception of its went."""
    if step.raised is not None:
        return [("op", str(step.instruction)), " ", *_raises(step)]
    return [("op", str(step.instruction)), " ", *_does(step)]


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
    name = step.opname
    for names, words in _FAMILIES:
        if name in names or any(name.startswith(each[:-1]) for each in names if each[-1] == "*"):
            return words(step)
    return _plainly(step)


def _gone(step: Step) -> list[str]:
    """Return the values taken off the stack, the lowest first."""
    return [named(value) for value in step.stack_before[len(step.stack_before) - step.popped :]]


def _plainly(step: Step) -> Words:
    """Say what was taken off the stack and what was put on it."""
    taken = [value for value in _gone(step) if value != _NULL]
    put = [value for value in step.pushed if value != _NULL]
    words: Words = []
    if taken:
        words += ["takes ", *_listed("gone", taken), " off the stack"]
    if put:
        words += [" and pushes " if taken else "pushes "]
        words += [_KINDS.get(step.opname, ""), *_listed("new", put)]
    return words or ["leaves the stack as it is"]


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
    taken = [named(value) for value in step.stack_before[low:] if value != _NULL]
    if taken and step.opname in _CALLS:
        return ["calls ", *_listed("gone", taken[:1]), ", which ", *raised]
    if taken:
        return ["takes ", *_listed("gone", taken), " off the stack and ", *raised]
    return raised


def _resume(step: Step) -> Words:
    if step.instruction.arg == 0:
        return [f"begins {step.function}; it changes nothing"]
    return [f"goes on in {step.function} where it had paused"]


def _load_fast(step: Step) -> Words:
    names = step.instruction.argrepr.split(", ")
    if step.opname == "LOAD_FAST_AND_CLEAR":
        return ["puts the variable ", ("name", names[0]), " aside on the stack for a while"]
    if step.opname == "LOAD_CLOSURE":
        return ["pushes the cell of ", ("name", names[0]), " itself"]
    where = "" if len(names) > 1 or step.instruction.arg is None else f" {step.instruction.arg}"
    place = f"place{where or 's'}" if "DEREF" not in step.opname else f"cell{where}"
    return [
        f"reads {place} of the values array, ", *_separated("name", names, " and "),
        ", and pushes ", *_listed("new", step.pushed),
    ]  # fmt: skip


def _store_fast(step: Step) -> Words:
    names = step.instruction.argrepr.split(", ")
    taken = _listed("gone", _gone(step)[::-1])
    if step.opname == "STORE_FAST_LOAD_FAST":
        return [
            "takes ", *taken, " off the stack into ", ("name", names[0]), ", then reads ",
            ("name", names[-1]), " and pushes ", *_listed("new", step.pushed),
        ]  # fmt: skip
    if len(names) > 1:
        stored = _separated("name", names, " and ")
        return ["takes ", *taken, " off the stack and stores them as ", *stored]
    kind = "cell" if "DEREF" in step.opname else "place"
    if _gone(step) == [_NULL]:
        return ["takes the empty place off the stack: ", ("name", names[0]), " has no value again"]
    where = f"{kind} {step.instruction.arg} of the values array, "
    return ["takes ", *taken, f" off the stack and stores it in {where}", ("name", names[0])]


def _load_named(step: Step) -> Words:
    name = step.instruction.argrepr.removeprefix("NULL + ").removesuffix(" + NULL")
    values = [value for value in step.pushed if value != _NULL]
    null = ", with an empty place (NULL) for the call" if _NULL in step.pushed else ""
    return ["looks up the name ", ("name", name), " and pushes ", *_listed("new", values), null]


def _store_named(step: Step) -> Words:
    name = ("name", step.instruction.argrepr)
    return ["takes ", *_listed("gone", _gone(step)), " off the stack and names it ", name]


def _delete(step: Step) -> Words:
    taken = _gone(step)
    what: Words = [("name", step.instruction.argrepr)] if step.instruction.argrepr else ["an item"]
    return ["deletes ", *what, *(["; it takes ", *_listed("gone", taken)] if taken else [])]


def _load_attr(step: Step) -> Words:
    name = step.instruction.argrepr.removeprefix("NULL|self + ").removesuffix(" + NULL|self")
    below = [value for value in _gone(step) if value != _NULL]
    kept = below or list(step.stack_before[-1:])
    put = [value for value in step.pushed if value != _NULL]
    # A method comes with its object, which is its first argument.
    new = _listed("new", put)
    return ["looks up ", ("name", name), " of ", *_listed("gone", kept), " and pushes ", *new]


def _store_attr(step: Step) -> Words:
    taken = _gone(step)
    name = ("name", step.instruction.argrepr)
    return ["sets ", name, " of ", ("gone", taken[-1]), " to ", ("gone", taken[0])]


def _store_item(step: Step) -> Words:
    value, container, *key = _gone(step)
    return [
        "takes all three off the stack and stores " if len(key) == 1 else "stores ",
        ("gone", value), " in ", ("gone", container), " at ", *_separated("gone", key, " to "),
    ]  # fmt: skip


def _unpack(step: Step) -> Words:
    taken = _listed("gone", _gone(step))
    items = _listed("new", step.pushed[::-1])
    return ["takes ", *taken, " off the stack and pushes its items, the first on top: ", *items]


def _grow(step: Step) -> Words:
    return ["takes ", *_listed("gone", _gone(step)), f" off the stack and {_GROWS[step.opname]}"]


def _test_jump(step: Step) -> Words:
    jumps = step.jumped_to is not None
    tested = named(step.stack_before[-1]) if step.stack_before else ""
    # None is asked for by name; anything else is asked whether it counts as true.
    if "NONE" in step.opname:
        verdict = "is None" if ("NOT" in step.opname) != jumps else "is not None"
    else:
        verdict = "is true" if ("TRUE" in step.opname) == jumps else "is not true"
    start: Words = ["takes ", ("gone", tested), " off the stack; it "]
    if not step.popped:
        start = ["looks at ", ("name", tested), ", which "]
    return [*start, verdict, f": {_goes(step)}" if jumps else ": no jump"]


def _goes(step: Step) -> str:
    back = step.jumped_to is not None and step.jumped_to < step.offset
    return f"jumps {'back ' if back else ''}to {step.jumped_to}"


def _jump(step: Step) -> Words:
    return [_goes(step)]


def _for_iter(step: Step) -> Words:
    if step.jumped_to is not None:
        return ["asks the iterator for its next value; there is none left: ", _goes(step)]
    if not step.pushed:
        return ["asks the iterator for its next value"]
    values = _listed("new", step.pushed)
    return ["asks the iterator for its next value and pushes ", *values]


def _call(step: Step) -> Words:
    taken = [value for value in _gone(step) if value != _NULL]
    what, given = taken[:1], taken[1:]
    words: Words = ["calls ", *_listed("gone", what)] if what else ["makes the call"]
    if given:
        words += [" with ", *_listed("gone", given)]
    if step.called is not None:
        return [*words, ": a new frame begins, with an empty stack"]
    if step.pushed:
        words += [" and pushes what it returns, ", *_listed("new", step.pushed)]
    return words


def _kw_names(step: Step) -> Words:
    names = step.instruction.argrepr
    return ["names the last arguments of the call that follows: ", ("name", names)]


def _returns(step: Step) -> Words:
    value = _gone(step) or [named(step.returned or "")]
    if step.opname == "RETURN_GENERATOR":
        made = named(step.returned or "a generator")
        words: Words = ["makes ", ("new", made), "; none of its lines has run yet"]
        return [*words, *([] if step.depth else [_TO_SEE_IT])]
    taken: Words = ["takes ", ("gone", value[0]), " off the stack: "] if step.popped else []
    return [*taken, f"{step.function} returns ", ("new", value[0])]


def _yields(step: Step) -> Words:
    value = [*_gone(step), named(step.returned or "")][0]
    return ["hands ", ("gone", value), f" out; {step.function} pauses here"]


def _push_null(step: Step) -> Words:
    return ["pushes an empty place (NULL), which the call that follows expects there"]


def _pop_top(step: Step) -> Words:
    return ["throws ", *_listed("gone", _gone(step)), " away: it is not used"]


def _copy(step: Step) -> Words:
    below = (step.instruction.arg or 1) - 1
    which = f"value that lies {below} below the top" if below else "same value"
    return [f"pushes the {which} once more: ", *_listed("new", step.pushed)]


def _swap(step: Step) -> Words:
    top, other = (named(step.stack_after[-n]) for n in (1, step.instruction.arg or 2))
    return ["swaps two values: ", ("new", top), " is on top now, and ", ("new", other), " below"]


def _make_cell(step: Step) -> Words:
    name = ("name", step.instruction.argrepr)
    return ["puts ", name, " into a cell, which inner functions can share"]


def _nothing(step: Step) -> Words:
    return [_NOTHING[step.opname]]


def _push_exception(step: Step) -> Words:
    error = step.stack_after[-1]
    return ["marks ", ("bad", error), " as the exception being handled, and keeps the one before"]


def _pop_exception(step: Step) -> Words:
    return ["ends the handling of the exception"]


def _match_exception(step: Step) -> Words:
    wanted = _gone(step)[-1:] or [named(step.stack_before[-1])]
    kind = ("gone", wanted[0].removeprefix("class "))
    answer = _listed("new", step.pushed[-1:])
    return ["asks whether the exception is a ", kind, " and pushes the answer, ", *answer]


def _enter_with(step: Step) -> Words:
    return ["enters ", *_listed("gone", _gone(step)), ": pushes its exit and what it gives, ",
            *_listed("new", step.pushed)]  # fmt: skip


_FAMILIES: tuple[tuple[tuple[str, ...], Callable[[Step], Words]], ...] = (
    (("RESUME",), _resume),
    (tuple(_NOTHING), _nothing),
    (("LOAD_FAST*", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_CLOSURE"), _load_fast),
    (("STORE_FAST*", "STORE_DEREF"), _store_fast),
    (("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT*"), _load_named),
    (("STORE_GLOBAL", "STORE_NAME"), _store_named),
    (("DELETE_*",), _delete),
    (_ATTRIBUTES, _load_attr),
    (("STORE_ATTR",), _store_attr),
    (("STORE_SUBSCR", "STORE_SLICE"), _store_item),
    (("UNPACK_*",), _unpack),
    (tuple(_GROWS), _grow),
    (("POP_JUMP_*", "JUMP_IF_*"), _test_jump),
    (("JUMP_*",), _jump),
    (("FOR_ITER",), _for_iter),
    (("CALL", "CALL_KW", "CALL_FUNCTION_EX"), _call),
    (("KW_NAMES",), _kw_names),
    (("RETURN_*",), _returns),
    (("YIELD_VALUE",), _yields),
    (("PUSH_NULL",), _push_null),
    (("POP_TOP", "END_FOR", "END_SEND"), _pop_top),
    (("COPY",), _copy),
    (("SWAP",), _swap),
    (("MAKE_CELL",), _make_cell),
    (("PUSH_EXC_INFO",), _push_exception),
    (("POP_EXCEPT",), _pop_exception),
    (("CHECK_EXC_MATCH",), _match_exception),
    (("BEFORE_WITH",), _enter_with),
)
