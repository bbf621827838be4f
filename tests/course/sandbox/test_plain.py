from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpml.course.sandbox.plain import Array, Opaque, PlainError, decode, encode


def there_and_back(value: object) -> object:
    return decode(json.loads(json.dumps(encode(value))))


hashable = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text(st.characters())
    | st.binary(),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)
values = st.recursive(
    hashable,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(hashable, inner, max_size=4)
        | st.sets(hashable, max_size=4)
        | st.tuples(inner)
    ),
    max_leaves=12,
)


@given(values)
def test_every_plain_value_comes_back_the_same_and_of_the_same_types(value: object) -> None:
    back = there_and_back(value)
    assert back == value
    assert encode(back) == encode(value)


@pytest.mark.parametrize("text", ["\ud800", "\ud83d\ude00", "\U0001f600", "\x00", "é"], ids=ascii)
def test_any_text_survives_also_half_characters(text: str) -> None:
    assert there_and_back([text, {text: 1}]) == [text, {text: 1}]


def test_the_order_of_a_dictionary_is_kept() -> None:
    back = there_and_back({"b": 1, "a": 2})
    assert isinstance(back, dict)
    assert list(back) == ["b", "a"]


class EqualToAll:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Liar(str):
    __class__ = str  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Number(int):
    pass


class Shouting:
    def __repr__(self) -> str:
        print("FORGED")
        return "shouting"


class Raising:
    def __repr__(self) -> str:
        raise SystemExit("out")


class Endless:
    def __repr__(self) -> str:
        return repr([self])


class Meta(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise RuntimeError("no name")

    __qualname__ = "int"


class Odd(metaclass=Meta):
    pass


@pytest.mark.parametrize(
    "value",
    [EqualToAll(), Liar("a"), Number(1), Raising(), Endless(), Odd(), (i for i in ()), len, Liar],
    ids=["equal", "str", "int", "raising", "endless", "meta", "generator", "builtin", "class"],
)
def test_what_is_not_of_a_plain_type_becomes_opaque(value: object) -> None:
    back = there_and_back([value])
    assert isinstance(back, list)
    assert type(back[0]) is Opaque
    assert len(back[0].text) <= 200


def test_what_a_repr_prints_is_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    assert there_and_back(Shouting()) == Opaque(
        "tests.course.sandbox.test_plain.Shouting", "shouting"
    )
    assert capsys.readouterr().out == ""


def test_a_text_that_stands_for_an_address_is_the_same_each_time() -> None:
    assert there_and_back(object()) == Opaque("object", "<object object>")


def test_a_value_that_contains_itself_says_so() -> None:
    loop: list[object] = [1]
    loop.append(loop)
    assert there_and_back(loop) == [1, Opaque("list", "contains itself")]
    shared = [1]
    assert there_and_back([shared, shared]) == [[1], [1]]


def test_what_is_too_deep_or_too_large_is_cut() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert "too deep" in json.dumps(encode(deep))
    assert encode([0] * 1_000_001) == encode(Opaque("list", "too large"))
    assert encode(1 << 1_000_000) == encode(Opaque("int", "an integer of 1,000,001 bits"))


@pytest.mark.parametrize(
    "data",
    [
        {"set": [[]]},
        {"float": "x"},
        {"bytes": "*"},
        {"a": 1, "b": 2},
        {"dict": [1]},
        {"opaque": [1, "a"]},
        {"array": ["float32", [-1], "", "numpy"]},
        {"int": "f" * 200_000},
        1.5,
        {"set": [k * (2**61 - 1) for k in range(3000)]},
    ],
    ids=lambda data: repr(data)[:30],
)
def test_what_is_not_written_by_encode_is_refused(data: object) -> None:
    with pytest.raises(PlainError):
        decode(data)


def test_decoding_something_deep_is_refused() -> None:
    data: object = 1
    for _ in range(5000):
        data = [data]
    with pytest.raises(PlainError):
        decode(data)


def test_arrays_travel_as_bytes_with_dtype_and_shape() -> None:
    import numpy

    array = numpy.arange(6, dtype=">i4").reshape(2, 3)[:, ::2]
    back = there_and_back(array)
    assert back == Array("int32", (2, 2), numpy.array([0, 2, 3, 5], dtype="<i4").tobytes(), "numpy")
    assert there_and_back(back) == back
    for scalar, number in (
        (numpy.bool_(True), True),
        (numpy.float64(1), 1.0),
        (numpy.int8(-3), -3),
    ):
        back = there_and_back(scalar)
        assert isinstance(back, Array)
        assert (type(back.number()), back.number()) == (type(number), number)
    assert Array("int32", (1,), b"1234", "numpy").number() is None
    assert Array("int32", (), b"12345", "numpy").number() is None
    assert type(there_and_back(numpy.array([object()]))) is Opaque


def test_tensors_travel_as_bytes_with_dtype_and_shape() -> None:
    import torch

    tensor = torch.arange(6.0, requires_grad=True).reshape(2, 3).T
    back = there_and_back(tensor)
    assert isinstance(back, Array)
    assert (back.dtype, back.shape, back.library) == ("float32", (3, 2), "torch")
    assert back.data == tensor.detach().contiguous().numpy().tobytes()
    half = there_and_back(torch.ones((), dtype=torch.bfloat16))
    assert isinstance(half, Array)
    assert (half.dtype, half.shape, half.data) == ("bfloat16", (), b"\x80\x3f")


def test_named_tuples_and_numpys_texts_count_by_what_they_hold() -> None:
    class Pair(NamedTuple):
        one: int
        two: str

    value = decode(encode([Pair(1, "a"), np.str_("b")]))
    assert value == [(1, "a"), "b"]
    assert [type(part) for part in value] == [tuple, str]
