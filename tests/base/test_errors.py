from __future__ import annotations

import pickle

import numpy
from hypothesis import given
from hypothesis import strategies as st

from hpml.base import describe
from hpml.base.errors import HpmlError, UsageError


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_a_tensor_is_described_without_its_numbers() -> None:
    import torch

    assert describe(torch.zeros(2, 3)) == "Tensor(shape=(2, 3), dtype=torch.float32)"
    assert describe(torch.tensor(3)) == "Tensor(shape=(), dtype=torch.int64)"


def test_a_number_of_numpy_is_described_with_its_value() -> None:
    assert describe(numpy.int64(3)) == "np.int64(3)"


def test_hostile_values_and_tensors_inside_a_list_are_shown_the_same_way() -> None:
    import torch

    text = describe([Hostile(), torch.zeros(2)], limit=100)
    expected = "<Hostile, whose repr raises RuntimeError>, Tensor(shape=(2,), dtype=torch.float32)"
    assert text == f"[{expected}]"


@given(st.recursive(st.text() | st.integers() | st.binary(), st.lists), st.integers(10, 200))
def test_the_description_is_one_short_line(value: object, limit: int) -> None:
    text = describe(value, limit)
    assert len(text) <= limit
    assert len(text.splitlines()) == 1


PARTS = {"object": "x", "expected": "a number", "received": "'a'", "remedy": "Pass 1."}


def test_an_error_says_its_parts_and_keeps_them() -> None:
    error = HpmlError(**PARTS)
    assert str(error) == "x: expected a number, received 'a'. Pass 1."
    assert {name: getattr(error, name) for name in PARTS} == PARTS


def test_a_sentence_replaces_what_the_parts_would_say_but_not_the_remedy() -> None:
    error = HpmlError("That is no number.", **PARTS)
    assert str(error) == "That is no number. Pass 1."
    assert {name: getattr(error, name) for name in PARTS} == PARTS


def test_an_error_keeps_its_parts_through_a_pickle() -> None:
    error = pickle.loads(pickle.dumps(HpmlError(**PARTS)))
    assert str(error) == str(HpmlError(**PARTS))
    assert {name: getattr(error, name) for name in PARTS} == PARTS


def test_an_error_of_another_family_can_say_the_same() -> None:
    error = HpmlError("That is no number.", **PARTS)
    other = UsageError(**error.parts)
    assert (str(other), other.parts) == (str(error), error.parts)


def test_a_remedy_follows_a_text_of_several_lines_on_a_line_of_its_own() -> None:
    assert str(HpmlError("It said:\nno\n", remedy="Pass 1.")) == "It said:\nno\nPass 1."


def test_nothing_received_is_not_mentioned() -> None:
    assert str(HpmlError(object="x", expected="1")) == "x: expected 1."
