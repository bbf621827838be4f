"""Iterators on the stack: ``for`` loops, and the iterator of ``yield from``.

Until 3.14 an iterator is one value. From 3.15 on it is two: the sequence and an index for the types
of `SEQUENCES`, an iterator and NULL for others.
"""

from __future__ import annotations

import sys
from types import CoroutineType, GeneratorType
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame
from hpml.bytecode.null import NULL

HAS_INDEX = sys.version_info >= (3, 15)

SEQUENCES = (list, tuple, str, bytes)
"""The types over which CPython 3.15 iterates by index."""

YIELD_FROM = 3
"""The argument of GET_ITER for ``yield from``, from 3.15 on."""

_END = object()

# Where a loop ends: END_FOR, at the target, cleans up after inlined generators only.
_AFTER_END = 0 if sys.version_info < (3, 12) else 2 if sys.version_info[:2] == (3, 13) else 1


def get_iter(frame: Frame, instruction: DecodedInstruction) -> None:
    """Replace the top by an iterator over it."""
    if HAS_INDEX and instruction.arg == YIELD_FROM:
        get_yield_from_iter(frame, instruction)
    else:
        _push_iterator(frame, frame.stack.pop())


def get_yield_from_iter(frame: Frame, instruction: DecodedInstruction) -> None:
    """Replace the top by an iterator for ``yield from``."""
    value = frame.stack.pop()
    if isinstance(value, CoroutineType):
        raise TypeError("cannot 'yield from' a coroutine object in a non-coroutine generator")
    if type(value) is GeneratorType:
        frame.stack.extend((value, NULL) if HAS_INDEX else (value,))
    else:
        _push_iterator(frame, value)


def _push_iterator(frame: Frame, value: Any) -> None:
    if not HAS_INDEX:
        frame.stack.append(iter(value))
    elif type(value) in SEQUENCES:
        frame.stack.extend((value, 0))
    else:
        frame.stack.extend((iter(value), NULL))


def receiver(frame: Frame) -> Any:
    """Return the iterator on top of the stack."""
    return frame.stack[-2 if HAS_INDEX else -1]


def next_item(frame: Frame, end: Any) -> Any:
    """Return the next item of the iterator on top of the stack, or `end`."""
    iterator, index = receiver(frame), frame.stack[-1]
    if not HAS_INDEX or index is NULL:
        return next(iterator, end)
    if index >= len(iterator):
        return end
    frame.stack[-1] = index + 1
    return iterator[index]


def for_iter(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the next item, or jump to the end of the loop."""
    value = next_item(frame, _END)
    if value is not _END:
        frame.stack.append(value)
        return
    if sys.version_info < (3, 14):  # then POP_ITER drops the iterator
        frame.stack.pop()
    frame.index = instruction.target + _AFTER_END


def pop_iter(frame: Frame, instruction: DecodedInstruction) -> None:
    """Drop the iterator of a loop that has ended (3.14)."""
    for _ in range(1 + HAS_INDEX):
        frame.stack.pop()
