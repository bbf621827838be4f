"""Describe the effect of an instruction in one sentence, a list of pieces with kinds.

`_SENTENCES` has a template for each family of opcodes, such as ``"sets {name} of {1} to {0}"``, or
a function if the sentence depends on more than the opcode. `_fields` lists the template's fields.
For other opcodes the sentence says which values were taken off the stack and pushed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from string import Formatter

from hpml.bytecode.machine import Step

Words = list[str | tuple[str, str]]
"""Pieces of a sentence: text, or a kind ("op", "gone", "new", "name", "bad") and its text."""

_MANY = 4


def without_brackets(value: str) -> str:
    """Return the text of a value without the angle brackets of reprs such as ``<list object>``."""
    return value[1:-1] if len(value) > 2 and (value[0], value[-1]) == ("<", ">") else value


def as_text(words: Words) -> str:
    """Return a sentence as plain text."""
    return "".join(piece if isinstance(piece, str) else piece[1] for piece in words)


def as_html(words: Words) -> str:
    """Return a sentence as HTML, with each kind in a ``<b>`` of that class."""
    return "".join(
        html.escape(piece)
        if isinstance(piece, str)
        else f'<b class="{piece[0]}">{html.escape(piece[1])}</b>'
        for piece in words
    )


def instruction_words(step: Step) -> Words:
    """Return a sentence about a step, without the handler of its exception."""
    ran: Words = [", and CPython ran ", *_listed("name", step.ran), " here"] if step.ran else []
    return [("op", str(step.instruction)), " ", *_effect(step), *ran]


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
    if step.raised is not None:
        again = " again" if step.opname == "RERAISE" else ""
        return ["raises ", ("bad", str(step.raised)), again]
    for opcodes, sentence in _SENTENCES.items():
        if re.fullmatch(opcodes, step.opname):
            return _fill(sentence, step) if isinstance(sentence, str) else sentence(step)
    if _without_null(step.pushed):
        return _fill("{takes}pushes {new}", step)
    return _fill("takes {gone} off the stack" if step.popped else "leaves the stack as it is", step)


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
    back = step.jumped_to is not None and step.jumped_to < step.offset
    return {
        "function": [step.function],
        "name": [("name", name)],
        "names": _separated("name", name.split(", "), " and "),
        "slot": [("name", name), f" ({kind}index {step.instruction.arg} of the values array)"],
        "gone": _listed("gone", gone),
        **{str(index): [("gone", value)] for index, value in enumerate(gone)},
        "takes": ["takes ", *_listed("gone", taken), " off the stack and "] if taken else [],
        "new": _listed("new", _without_null(step.pushed)),
        "returned": [("new", without_brackets(step.returned or ""))],
        "jumps": [f"jumps {'back ' if back else ''}to {step.jumped_to}"],
    }


def _gone(step: Step) -> list[str]:
    """Return the values taken off the stack, the lowest first."""
    gone = step.stack_before[len(step.stack_before) - step.popped :]
    return [without_brackets(value) for value in gone]


def _without_null(values: Sequence[str]) -> list[str]:
    return [value for value in values if value != "NULL"]


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


def _resume(step: Step) -> Words:
    if step.instruction.arg & 3 == 0:
        return _fill("begins {function}; it changes nothing", step)
    return _fill("resumes {function} where it was suspended", step)


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


def _get_iter(step: Step) -> Words:
    if len(step.pushed) == 2 and step.pushed[1] != "NULL":  # from 3.15 on
        return _fill(
            "adds the index of the next item, {index}", step, index=[("new", step.pushed[1])]
        )
    return _fill("{takes}pushes an iterator over it, {new}", step)


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


def _before_with(step: Step) -> Words:
    if step.called is not None:
        return _fill("enters {gone}: pushes its __exit__ and calls its __enter__", step)
    return _fill("enters {gone}: pushes its __exit__ and the value of its __enter__, {new}", step)


def _with_except_start(step: Step) -> Words:
    if step.called is not None:
        return _fill("calls the __exit__ of the context manager with the exception", step)
    return _fill("calls __exit__ with the exception and pushes the returned value, {new}", step)


_SENTENCES: dict[str, str | Callable[[Step], Words]] = {
    "RESUME": _resume,
    "NOP|NOT_TAKEN": "does nothing",
    "PRECALL": "prepares the following call",
    # Variables
    "LOAD_FAST_AND_CLEAR": "saves the variable {name} on the stack and clears it",
    "LOAD_FAST.*_LOAD_FAST.*": "reads {names} from the values array and pushes {new}",
    "LOAD_FAST.*|LOAD_DEREF|LOAD_CLASSDEREF": "reads {slot} and pushes {new}",
    "STORE_FAST_LOAD_FAST": "stores {gone} and pushes {new}: {names} of the values array",
    "STORE_FAST_STORE_FAST": "takes {1} and {0} off the stack and stores them as {names}",
    "STORE_FAST.*|STORE_DEREF": "takes {gone} off the stack and stores it in {slot}",
    "LOAD_GLOBAL|LOAD_NAME|LOAD_FROM_DICT.*": "looks up the name {name} and pushes {new}",
    "STORE_GLOBAL|STORE_NAME": "takes {gone} off the stack and names it {name}",
    "DELETE_(FAST|NAME|GLOBAL|DEREF)": "deletes {name}",
    "MAKE_CELL": "puts {name} into a cell, which inner functions can share",
    # Attributes and items
    "LOAD_ATTR|LOAD_METHOD": "looks up {name} of {gone} and pushes {new}",
    "STORE_ATTR": "sets {name} of {1} to {0}",
    "STORE_SUBSCR": "takes all three off the stack and stores {0} in {1} at {2}",
    # New values
    "LOAD_CONST|LOAD_COMMON_CONSTANT": "pushes the constant {new}",
    "GET_ITER": _get_iter,
    "LIST_APPEND": "takes {gone} off the stack and appends it to the list",
    "LIST_EXTEND|SET_.*|MAP_ADD|DICT_.*": "takes {gone} off the stack into the container below",
    # Jumps, calls, generators
    "POP_JUMP_.*|JUMP_IF_.*": _test_jump,
    "JUMP_.*": "{jumps}",
    "FOR_ITER": _for_iter,
    "PUSH_NULL": "pushes NULL, which the following call expects",
    "CALL|CALL_KW|CALL_FUNCTION_EX": _call,
    "RETURN_GENERATOR": "creates {returned}; none of its lines has run yet",
    "RETURN_VALUE": "takes {gone} off the stack: {function} returns {returned}",
    "RETURN_CONST": "{function} returns {returned}",
    "YIELD_VALUE": "yields {gone}; {function} is suspended",
    # The stack itself
    "POP_TOP|POP_ITER|END_FOR|END_SEND": "discards {gone}",
    "COPY": "pushes {new} a second time",
    "SWAP": "swaps values: takes {gone} off the stack and pushes {new}",
    # Exceptions and `with`
    "PUSH_EXC_INFO": "makes {0} the handled exception, and pushes the one handled before",
    "POP_EXCEPT": "ends the handling of the exception",
    "CHECK_EXC_MATCH": "tests whether the exception matches {0} and pushes the answer, {new}",
    "BEFORE_WITH": _before_with,
    "WITH_EXCEPT_START": _with_except_start,
}
"""Sentences by pattern of opcodes; the first that matches is used."""
