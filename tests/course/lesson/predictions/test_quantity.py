from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpml.base.errors import describe
from hpml.course.lesson.errors import AnswerError
from hpml.course.lesson.predictions.quantity import (
    find_unit,
    format_number,
    format_quantity,
    measured_value,
    read_number,
)
from tests.parts import raises

TIMES = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        (3, "µs", 3.0),
        (np.float32(2.5), "ms", 2.5),
        ("3", "us", 3.0),
        (" 3us ", "us", 3.0),
        ("3 μs", "us", 3.0),
        ("1.5 ms", "us", 1500.0),
        ("~40 ns", "ns", 40.0),
        ("2 MB", "bytes", 2e6),
        ("3x", "×", 3.0),
        ("2 times", "%", 200.0),
        ("12 calls", "calls", 12.0),
        ("1e3", "calls", 1000.0),
        ("1,000", "calls", 1000.0),
        ("12,500.5 ns", "us", 12.5005),
        ("-1,234,567", "calls", -1234567.0),
    ],
)
def test_an_answer_is_read_in_the_unit_asked_for(typed: object, unit: str, value: float) -> None:
    assert read_number(typed, find_unit(unit), at_least=-math.inf) == value


@pytest.mark.parametrize(
    "typed",
    [
        "three",
        "",
        "1,5",
        "1.000,5",
        "1,23,456",
        "3 MB",
        "3 parsecs",
        -1,
        math.inf,
        "1e999",
        True,
        [3],
        np.zeros(3),
    ],
    ids=repr,
)
def test_what_is_no_time_is_refused(typed: object) -> None:
    with raises(AnswerError, object="answer", received=describe(typed)):
        read_number(typed, find_unit("µs"))


def test_the_range_is_in_the_unit_asked_for() -> None:
    percent = find_unit("%")
    assert read_number("100", percent, at_most=100) == 100
    with raises(AnswerError, object="answer", expected=("0 %", "100 %"), received="'2 times'"):
        read_number("2 times", percent, at_most=100)
    assert read_number(-3, percent, at_least=-math.inf) == -3


@given(
    value=st.floats(1e-6, 1e6),
    own=st.sampled_from(sorted(TIMES)),
    asked=st.sampled_from(sorted(TIMES)),
)
def test_converting_a_time_keeps_it(value: float, own: str, asked: str) -> None:
    read = read_number(f"{value!r} {own}", find_unit(asked))
    assert read * TIMES[asked] == pytest.approx(value * TIMES[own], rel=1e-9)


def test_a_measurement_counts_by_its_median_and_a_ratio_by_its_value() -> None:
    measurement = SimpleNamespace(median=2.5e-6)
    assert measured_value(measurement, find_unit("us")) == 2.5
    assert measured_value(SimpleNamespace(value=1.5), find_unit("×")) == 1.5
    assert measured_value("900 ns", find_unit("us")) == 0.9
    with raises(AnswerError, object="answer", expected="finite", received="nan"):
        measured_value(math.nan, find_unit("us"))
    with raises(AnswerError, object="answer", received=find_unit("s").kind, remedy="MB"):
        measured_value(measurement, find_unit("MB"))
    with raises(AnswerError, object="answer", received=find_unit("×").kind, remedy="in s"):
        measured_value(SimpleNamespace(value=1.5), find_unit("s"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.91234, "0.912"),
        (1234.5, "1,230"),
        (1e-7, "0.0000001"),
        (5.7e9, "5,700,000,000"),
        (-2.5, "-2.5"),
    ],
)
def test_a_number_is_written_with_three_digits(value: float, text: str) -> None:
    assert format_number(value) == text


def test_a_quantity_reads_as_a_person_says_it() -> None:
    assert format_quantity(1, find_unit("calls")) == "1 call"
    assert format_quantity(2, find_unit("calls")) == "2 calls"
    assert format_quantity(1, find_unit("s")) == "1 s"
    assert format_quantity(2.5, find_unit("x")) == "2.5×"


def test_an_array_with_a_median_method_is_not_taken_for_a_measurement() -> None:
    import torch

    assert measured_value(torch.tensor(3.0), find_unit("ms")) == 3.0
