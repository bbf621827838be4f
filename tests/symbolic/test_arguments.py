"""Calls are taken apart into their symbolic parts and a template, and put together again."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hpml.symbolic.building.arguments import compile_call, mentions, split_call
from hpml.symbolic.errors import ArgumentError


class Hole(NamedTuple):
    """Stands for symbolic data."""

    number: int


class Point(NamedTuple):
    x: Any
    y: Any


leaves = st.one_of(
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.none(),
    st.booleans(),
    st.builds(Hole, st.integers(0, 9)),
)
nested = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.builds(slice, inner, inner, inner),
        st.builds(Point, inner, inner),
    ),
    max_leaves=12,
)
names = st.one_of(st.sampled_from(["x", "dim", "a0", "k", "function", "from", "a-b", ""]))


def put_together(found: list[Any], template: Any) -> tuple[Any, Any]:
    call = compile_call(template.text, template.holes)
    result: tuple[Any, Any] = call(lambda *a, **k: (a, k), template.constants, *found)
    return result


@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(
    args=st.lists(nested, max_size=4).map(tuple), kwargs=st.dictionaries(names, nested, max_size=3)
)
def test_a_call_that_was_taken_apart_is_the_same_call(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    found, template = split_call(args, kwargs, Hole)
    assert template.holes == len(found)
    assert all(isinstance(hole, Hole) for hole in found)
    assert not mentions(template.constants, (Hole,))
    assert mentions((args, kwargs), (Hole,)) == bool(found)
    assert put_together(found, template) == (args, kwargs)


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
@given(args=st.lists(nested, max_size=4).map(tuple))
def test_other_values_take_the_places_of_the_first(args: tuple[Any, ...]) -> None:
    found, template = split_call(args, {}, Hole)
    renumbered = [Hole(hole.number + 100) for hole in found]
    again, same = split_call(put_together(renumbered, template)[0], {}, Hole)
    assert again == renumbered
    assert same == template


def test_tuples_stay_of_their_kind() -> None:
    args = (Point(Hole(0), 2), torch.Size([1]))
    result, _ = put_together(*split_call(args, {}, Hole))
    assert [type(part) for part in result] == [Point, torch.Size]
    assert result == args


def test_a_container_without_symbols_is_kept_as_it_is() -> None:
    kept = [1, {"a": (2,)}]
    (result,), _ = put_together(*split_call((kept, Hole(0))[:1], {}, Hole))
    assert result is kept


def test_tensors_in_containers_are_constants_of_their_own() -> None:
    tensor = torch.ones(2)
    _, template = split_call(([tensor, 1], {"w": tensor}, slice(tensor, None)), {}, Hole)
    assert [value for value in template.constants if value is tensor] == [tensor] * 3


@pytest.mark.parametrize(
    ("args", "kwargs", "plain"),
    [
        ((Hole(0),), {}, True),
        ((Hole(0), Hole(1)), {}, True),
        ((Hole(0), 1), {}, False),
        ((Hole(0),), {"x": Hole(1)}, False),
        (([Hole(0)],), {}, False),
    ],
)
def test_only_symbols_in_order_are_a_plain_call(args: Any, kwargs: Any, plain: bool) -> None:
    assert split_call(args, kwargs, Hole)[1].is_plain == plain


def test_too_deep_a_nesting_is_an_error_and_not_a_crash() -> None:
    value: Any = Hole(0)
    for _ in range(300):
        value = [value]
    found, template = split_call((value,), {}, Hole)
    with pytest.raises(ArgumentError):
        compile_call(template.text, len(found))
