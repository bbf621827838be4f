"""An open challenge: equal results first, and a target that the whole interval must pass."""

from __future__ import annotations

from hpml.base.style import PALETTE
from hpml.course.challenge import challenge


def slow(values: list[int]) -> int:
    return sum(b - a == 7 for a in values for b in values)


def quick(values: list[int]) -> int:
    known: dict[int, int] = {}
    for value in values:
        known[value] = known.get(value, 0) + 1
    return sum(count * known.get(value + 7, 0) for value, count in known.items())


VALUES = [37 * k % 1000 for k in range(300)]


def test_a_target_that_is_reached_is_green_and_one_that_is_not_says_how_far() -> None:
    reached = challenge(slow, quick, VALUES, target=10, rounds=6)
    assert reached.plain.startswith("✓ Reached: ")
    assert PALETTE["codegen"] in reached.html
    same = challenge(slow, slow, VALUES, target=10, rounds=6)
    assert same.plain.startswith("… Equal results, not there yet: ")
    assert "10 times is the target" in same.plain
    assert PALETTE["codegen"] not in same.html


def test_other_results_changed_arguments_and_errors_are_not_raced() -> None:
    def changes(values: list[int]) -> int:
        values.sort()
        return quick(values)

    assert "slow returns" in challenge(slow, lambda values: 0, VALUES, target=2).plain
    assert "changes its arguments" in challenge(slow, changes, list(VALUES), target=2).plain
    assert "raises ZeroDivisionError" in challenge(slow, lambda values: 1 // 0, [1], target=2).plain
