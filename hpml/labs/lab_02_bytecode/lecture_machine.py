"""The lecture's stack machine: the oracle of lab 02's `execute`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

Instruction = tuple[str, "int | None"]
State = tuple[int, tuple[Any, ...], tuple[Any, ...]]

OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "BINARY_ADD": operator.add,
    "BINARY_SUBTRACT": operator.sub,
    "BINARY_MULTIPLY": operator.mul,
    "COMPARE_LESS": operator.lt,
}


def after(instruction: Instruction, state: State) -> State:
    """Return the new (place, stack, slots) after one instruction."""
    (name, arg), (place, stack, slots) = instruction, state
    index = arg or 0
    if name == "LOAD_FAST":
        return place + 1, (*stack, slots[index]), slots
    if name == "LOAD_CONST":
        return place + 1, (*stack, arg), slots
    if name == "STORE_FAST":
        return place + 1, stack[:-1], (*slots[:index], stack[-1], *slots[index + 1 :])
    if name == "JUMP":
        return index, stack, slots
    if name == "POP_JUMP_IF_FALSE":
        return (place + 1 if stack[-1] else index), stack[:-1], slots
    if name in OPERATORS:
        *below, left, right = stack
        return place + 1, (*below, OPERATORS[name](left, right)), slots
    raise ValueError(name)
