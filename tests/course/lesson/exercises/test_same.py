from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given

from hpml.course.lesson.exercises.exercise import Case, Wrong
from hpml.course.lesson.exercises.outcomes import NoAnswer, Raised, Returned
from hpml.course.lesson.exercises.same import difference, expect
from hpml.course.sandbox.plain import Array, decode, encode
from tests.course.sandbox.test_plain import EqualToAll, Liar, Number, values


@given(values)
def test_a_value_is_the_same_as_itself(value: object) -> None:
    assert difference(value, decode(encode(value))) is None


@given(values, values)
def test_values_that_python_holds_to_differ_are_different(one: object, other: object) -> None:
    if _lists_as_tuples(one) != _lists_as_tuples(other):
        assert difference(one, other) is not None


def _lists_as_tuples(value: Any) -> object:
    """Return a value with tuples for its lists: either is accepted for the other."""
    if type(value) in (list, tuple):
        return tuple(map(_lists_as_tuples, value))
    if type(value) is dict:
        return {key: _lists_as_tuples(each) for key, each in value.items()}
    return value


@pytest.mark.parametrize(
    ("expected", "received", "said"),
    [
        (True, 1, "expected bool True, received int 1"),
        (1, 1.0, "expected int 1, received float 1.0"),
        ((1,), {1}, "expected a tuple, received a set: {1}"),
        ({"a"}, ["a"], "expected a set, received a list: ['a']"),
        ([1, [2, "a"]], [1, [2, b"a"]], "[1][1]: expected str 'a', received bytes b'a'"),
        ([1, 2], [1, 2, 3], "expected 2 items, received 3"),
        ([[1]], [[1, 2]], "[0]: expected 1 item, received 2"),
        ({"a": 1}, {"a": 1, "b": 2}, "it has too much the key str 'b'"),
        ({"a": 1}, {}, "it lacks the key str 'a'"),
        ({"a": [1]}, {"a": [2]}, "['a'][0]: expected 1, received 2"),
        ({1: "a"}, {1.0: "a"}, "it lacks the key int 1, has too much the key float 1.0"),
        ({(1, 2)}, {(1, 2.0)}, "it lacks a tuple: (1, 2), has too much a tuple: (1, 2.0)"),
        ({"b", "a"}, set(), "it lacks str 'a' and 1 more"),
        (None, 0, "expected None, received int 0"),
        (math.nan, 0.0, "expected nan, received 0.0"),
    ],
)
def test_where_two_values_part_is_said(expected: object, received: object, said: str) -> None:
    assert difference(expected, received) == said


def test_a_frozenset_counts_as_a_set() -> None:
    assert difference([{"a"}], [frozenset({"a"})]) is None
    assert difference({"a"}, frozenset({"b"})) is not None


def test_floats_may_differ_by_the_tolerance_and_no_more() -> None:
    assert difference([1000.0], [1000.9], tolerance=1e-3) is None
    assert difference([1000.0], [1001.1], tolerance=1e-3) is not None
    assert difference(0.0, 0.0009, tolerance=1e-3, absolute=1e-3) is None
    assert difference(0.0, 0.0009, absolute=1e-3) is None
    assert difference(1 + 0.1j, 1 + 0.1001j, tolerance=1e-3) is None
    assert difference(10, 11, tolerance=1.0) is not None


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-9, 1.0, 1e9, 1e300, -1e-300, 1e-200j])
def test_the_tolerance_is_a_fraction_at_every_size(size: complex) -> None:
    assert difference(size, size * (1 + 1e-10), tolerance=1e-9) is None
    for other in (0.0 * size, 2 * size, -size):
        assert difference(size, other, tolerance=1e-9) is not None
    assert difference(0.0 * size, size, tolerance=1e-9) is not None


def test_a_list_is_a_tuple_and_a_rounded_float_is_another_number() -> None:
    assert difference([(1, 2)], ([1, 2],)) is None
    assert difference(2 / 3, round(2 / 3, 4), tolerance=1e-9) is not None
    assert difference(2 / 3, round(2 / 3, 12), tolerance=1e-9) is None


def test_a_case_says_how_far_from_0_its_numbers_may_be() -> None:
    judge = expect(lambda case: 0.0, absolute=lambda case: case.data["near"])
    assert judge(Case("near", {"near": 0.1}), Returned(0.05, {})) is None
    assert judge(Case("exact", {"near": 0.0}), Returned(0.05, {})) is not None


def test_a_whole_number_is_a_float_where_a_tolerance_is_allowed() -> None:
    assert difference([(1.0, 2.5)], [(1, 2.5)], tolerance=1e-9) is None
    assert difference(1.0, 2, tolerance=1e-9) == "expected 1.0, received 2.0"
    assert difference(1.0, True, tolerance=1e-9) == "expected float 1.0, received bool True"
    assert difference(1, 1.0, tolerance=1e-9) == "expected int 1, received float 1.0"
    assert difference(1.0, 10**400, tolerance=1e-9) is not None


@pytest.mark.parametrize(
    "liar", [EqualToAll(), Liar("a"), Number(1), [Liar("a")], {"a": EqualToAll()}], ids=lambda x: ""
)
@pytest.mark.parametrize("right", ["a", 1, ["a"], {"a": 1}], ids=repr)
def test_what_claims_to_equal_everything_does_not(right: object, liar: object) -> None:
    assert difference(right, decode(encode(liar))) is not None


def test_arrays_are_compared_by_shape_dtype_and_numbers() -> None:
    import numpy

    right = numpy.arange(6, dtype="float32").reshape(2, 3)

    def against(other: object) -> str | None:
        return difference(right, decode(encode(other)), tolerance=1e-3)

    assert against(right * (1 + 1e-4)) is None
    assert against(right.reshape(3, 2)) == "expected shape (2, 3), received shape (3, 2)"
    assert against(right.astype("float64")) == "expected dtype float32, received dtype float64"
    assert against(right.tolist()) is not None
    changed = right.copy()
    changed[1, 2] = 9
    assert against(changed) == "at [1, 2]: expected 5.0, received 9.0"
    assert against(Array("float32", (2, 3), b"abc", "numpy")) == "the numbers differ"
    assert difference(right.astype("complex64"), encode_back(changed.astype("complex64"))) == (
        "at [1, 2]: expected (5+0j), received (9+0j)"
    )


def encode_back(value: object) -> object:
    return decode(encode(value))


def test_half_precision_of_torch_is_compared_by_value() -> None:
    import torch

    ones = torch.ones(3, dtype=torch.bfloat16)
    assert difference(ones, encode_back(ones + 0.01), tolerance=0.02) is None
    assert difference(ones, encode_back(ones * 2)) == "at [0]: expected 1.0, received 2.0"


def square(case: Case) -> object:
    number = case.data["n"]
    assert isinstance(number, int)
    return [number**2]


TWO = Case("two", {"n": 2})


def test_the_usual_judge_takes_what_the_oracle_computes() -> None:
    judge = expect(square)
    assert judge(TWO, Returned([4], {})) is None
    assert judge(TWO, Returned([4.0], {})) == Wrong(
        "[4]", "[4.0]", "[0]: expected int 4, received float 4.0"
    )
    assert judge(TWO, Raised("KeyError", ("KeyError",), "2")) == Wrong("[4]", "raises KeyError: 2")
    assert judge(TWO, NoAnswer("too slow", "It took long.")) == Wrong("[4]", "no answer: too slow")


def test_where_the_oracle_raises_the_call_must_raise_the_same_kind_and_say_the_same() -> None:
    def refuse(case: Case) -> object:
        raise ValueError(*case.data["said"])

    judge = expect(refuse)
    silent, named = (Case("no", {"said": said}) for said in ((), ("layer 3",)))
    mine = "Mine", ("Mine", "ValueError", "Exception")
    assert judge(silent, Raised(*mine, "")) is None
    assert judge(silent, Raised("KeyError", ("KeyError",), "")) == Wrong(
        "raises ValueError", "raises KeyError"
    )
    assert judge(silent, Returned([1], {})) == Wrong("raises ValueError", "[1]")
    assert judge(named, Raised(*mine, "It is layer 3.")) is None
    assert judge(named, Raised(*mine, "no")) == Wrong(
        "raises ValueError with layer 3 in its message", "raises Mine: no"
    )
