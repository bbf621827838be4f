from __future__ import annotations

import math
import random

import pytest

from hpml.course.lesson.exercises import edges
from hpml.course.lesson.exercises.same import difference
from hpml.course.sandbox.plain import decode, encode


def test_what_is_drawn_depends_on_the_generator_alone() -> None:
    def drawn(seed: int) -> list[object]:
        rng = random.Random(seed)
        return [
            edges.magnitudes(rng),
            list(edges.shapes(rng)),
            edges.similar_names(rng, 12),
            edges.depths(rng, 9_000),
        ]

    assert drawn(3) == drawn(3)
    assert len({repr(drawn(seed)) for seed in range(5)}) == 5


@pytest.mark.parametrize("value", [*edges.FALSE, *edges.TRUE], ids=repr)
def test_each_value_keeps_its_truth_on_the_way_to_the_sandbox(value: object) -> None:
    there = decode(encode(value))
    assert difference(value, there) is None
    assert bool(there) is any(each is value for each in edges.TRUE)


def test_sizes_reach_both_ends_and_their_squares_are_no_floats() -> None:
    for seed in range(20):
        least, most, *between = edges.magnitudes(random.Random(seed), 5)
        assert (least, most) == (1e-300, 1e300)
        assert len({*between}) == 3
        assert least * least == 0
        assert math.isinf(most * most)


def test_shapes_have_each_number_of_axes_and_one_of_length_0_each() -> None:
    for seed in range(20):
        shapes = list(edges.shapes(random.Random(seed)))
        assert {len(shape) for shape in shapes} == {1, 2, 3, 4, 5}
        assert sum(0 in shape for shape in shapes) == 5


def test_similar_names_are_identifiers_and_contain_each_other() -> None:
    for count in (1, 8, 30):
        names = edges.similar_names(random.Random(count), count)
        assert len({*names}) == len(names) == count
        assert all(name.isidentifier() for name in names)
        assert all(names[0] in name for name in names)


def test_fractions_near_a_whole_number_are_exact_and_each_rounding_differs() -> None:
    for whole in (1, 5, 2**20):
        found = edges.fractions_near(whole)
        assert all(number + 2**20 - 2**20 == number for number in found)
        roundings = {
            do.__name__: tuple(map(do, found)) for do in (math.ceil, math.floor, round, int)
        }
        assert len({*roundings.values()}) == 3
        assert roundings["int"] == roundings["floor"]
