"""Wrong answers to `bytes_moved`: each docstring is the diagnosis."""

import math


def _bytes(names, shapes):
    return sum(4 * math.prod(shapes[name]) for name in names)


def _fused(ops):
    """Return what one loop reads, and what it writes."""
    results = [result for result, _ in ops]
    return {name for _, operands in ops for name in operands} - set(results) | {results[-1]}


def _one_by_one(ops):
    return [name for result, operands in ops for name in [result, *set(operands)]]


def ignores_fused(ops, shapes, fused):
    """It counts the same for one loop as for many. In one loop the intermediate results stay in
    registers: they are neither written nor read."""
    return _bytes(_one_by_one(ops), shapes)


def input_again(ops, shapes, fused):
    """In one loop an input is read once, however many operations use it."""
    if not fused:
        return _bytes(_one_by_one(ops), shapes)
    results = {result for result, _ in ops}
    reads = [name for _, operands in ops for name in set(operands) - results]
    return _bytes([*reads, ops[-1][0]], shapes)


def numbers_not_bytes(ops, shapes, fused):
    """It counts the numbers that move. Each has four bytes."""
    return _bytes(_fused(ops) if fused else _one_by_one(ops), shapes) // 4


def operand_twice(ops, shapes, fused):
    """An operand that appears twice in one operation is read once: `x * x` reads `x` once."""
    moved = [name for result, operands in ops for name in [result, *operands]]
    return _bytes(_fused(ops) if fused else moved, shapes)


def writes_every_result(ops, shapes, fused):
    """In one loop only the last result is written: the intermediate results stay in
    registers."""
    moved = _fused(ops) | {result for result, _ in ops} if fused else _one_by_one(ops)
    return _bytes(moved, shapes)
