"""Check and grader refuse every small fault in a right solution that changes what it does."""

from __future__ import annotations

import pytest

from tests.labs.mutants import survivors

# A set of visited places makes the order of the visits free, and instruction 0 is visited first.
_ANY_ORDER = {
    "6: waiting.pop() → waiting.pop(0)",
    "13: target is not None → target",
    "14: waiting.append((target, depth)) → waiting.insert(0, (target, depth))",
    "16: waiting.append((index + 1, depth)) → waiting.insert(0, (index + 1, depth))",
}

# By lab, function and solution: the mutants that do the same as the solution, with the reason.
EQUIVALENT: dict[tuple[str, str, str], set[str]] = {
    ("00", "hello", "right"): set(),
    ("01", "list_bytes", "right"): set(),
    ("01", "crossing_point", "right"): set(),
    ("01", "horner", "right"): set(),
    ("01", "horner", "right_in_its_own"): set(),
    ("02", "execute", "right"): set(),
    ("02", "max_stack_depth", "right"): _ANY_ORDER,
    # The cube of 0 adds nothing.
    ("02", "fewer_instructions", "right"): {"4: value > 0 → value >= 0", "4: 0 → -1"},
}


@pytest.mark.parametrize(("lab", "name", "solution"), EQUIVALENT, ids=lambda part: str(part))
def test_every_mutant_is_refused_that_does_something_else(
    lab: str, name: str, solution: str
) -> None:
    assert set(survivors(lab, name, solution)) == EQUIVALENT[lab, name, solution]
