"""Bytecode as the exercise `max_stack_depth` takes it: stack effects, jumps, what falls through."""

from __future__ import annotations

from types import FunctionType

from hpml.base.errors import describe
from hpml.bytecode import disassemble
from hpml.course.errors import LabError


def effects(function: FunctionType) -> list[tuple[int, int | None, bool]]:
    """Return each instruction as (stack effect, index of the jump target, falls through).

    Raises:
        LabError: if the effect of an instruction depends on whether it jumps (as of a ``for`` on
            some versions), or exceptions are handled: the exercise has no place for that.

    >>> def loop(n):
    ...     while n:
    ...         n = n - 1
    >>> max(target for _, target, _ in effects(loop) if target is not None) < len(effects(loop))
    True
    """
    listing = disassemble(function).listings[0]
    if listing.exception_table:
        raise LabError(
            f"effects expects a function that handles no exceptions, got "
            f"{describe(function.__name__)}; try one without `try` and `with`."
        )
    place = {step.offset: index for index, step in enumerate(listing.instructions)}
    found = []
    for step in listing.instructions:
        effect = step.stack_effect if step.falls_through else step.stack_effect_jump
        if step.falls_through and step.jump_target is not None and effect != step.stack_effect_jump:
            raise LabError(
                f"effects expects instructions that push and pop alike whether they jump or not, "
                f"but {step.opname} in {describe(function.__name__)} does not; try a function "
                "without `for`."
            )
        target = None if step.jump_target is None else place[step.jump_target]
        found.append(
            ((step.stack_effect if effect is None else effect) or 0, target, step.falls_through)
        )
    return found
