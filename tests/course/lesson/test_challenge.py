from __future__ import annotations

import pytest

from hpml.benchmark import Ratio
from hpml.course.lesson.challenge import _page_of_race, challenge


def slow(values: list[int]) -> int:
    return sum(b - a == 7 for a in values for b in values)


def quick(values: list[int]) -> int:
    known: dict[int, int] = {}
    for value in values:
        known[value] = known.get(value, 0) + 1
    return sum(count * known.get(value + 7, 0) for value, count in known.items())


VALUES = [37 * k % 1000 for k in range(300)]


def test_other_results_changed_arguments_and_errors_are_not_raced() -> None:
    def changes(values: list[int]) -> int:
        values.sort()
        return quick(values)

    assert "slow returns" in challenge(slow, lambda values: 0, VALUES, target=2).plain
    assert "changes its arguments" in challenge(slow, changes, list(VALUES), target=2).plain
    assert "raises ZeroDivisionError" in challenge(slow, lambda values: 1 // 0, [1], target=2).plain


def test_an_answer_that_is_right_on_the_raced_input_alone_is_not_raced() -> None:
    known: list[int] = []

    def remembers(values: list[int]) -> int:
        if not known:
            known.append(quick(values))
        return known[0]

    others = [([],), ([-7, 0, 7],)]
    assert not challenge(slow, remembers, VALUES, target=2).plain.startswith("✗")
    found = challenge(slow, remembers, VALUES, target=2, others=others).plain
    assert found.startswith("✗ Not equal: called with ")
    assert not challenge(slow, quick, VALUES, target=2, others=others).plain.startswith("✗")


@pytest.mark.parametrize(
    ("ratio", "medians", "sign"),
    [
        (Ratio(0.1, 0.09, 0.11, "faster"), 0.1, "✓ Reached: 10 times as fast (9.09 to 11.1); "),
        (Ratio(1 / 380, 1 / 390, 1 / 370, "faster"), 1 / 380, "✓ Reached: 380 times as fast "),
        (Ratio(0.5, 0.4, 0.6, "faster"), 0.5, "… Equal results, not there yet: 2 times as fast "),
        (Ratio(1 / 13, 1 / 20, 1 / 4, "faster"), 1 / 13, "… Equal results. This measurement can"),
        (Ratio(0.5, 0.4, 0.6, "faster"), 0.1, "… Equal results. This measurement cannot tell: "),
        (
            Ratio(0.1, 0.0, 9.0, "cannot tell"),
            0.1,
            "… Equal results. This measurement cannot "
            "tell: its rounds differ too much to say whether 5 times is reached. Run",
        ),
        (Ratio(0.1, 1e-5, 0.11, "faster"), 0.1, "✓ Reached: 10 times as fast; 5 times is"),
    ],
)
def test_a_ratio_on_both_sides_of_the_target_tells_nothing(
    ratio: Ratio, medians: float, sign: str
) -> None:
    assert _page_of_race(ratio, medians, 5).plain.replace("\n", " ").startswith(sign)
