"""What a student may type for a number, and what is said where it cannot be read."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpml.course.errors import AnswerError
from hpml.course.predictions.quantity import (
    find_unit,
    format_number,
    format_quantity,
    measured_value,
    read_number,
)

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
        ("2e-6 s", "us", 2.0),
        (".5", "s", 0.5),
        ("~40 ns", "ns", 40.0),
        ("2 MB", "bytes", 2e6),
        ("2 mib", "B", 2 * 2**20),
        ("3x", "×", 3.0),
        ("250 %", "×", 2.5),
        ("2 times", "%", 200.0),
        ("12 calls", "calls", 12.0),
        ("1 call", "calls", 1.0),
        ("1e3", "calls", 1000.0),
        ("10_000", "calls", 10000.0),
        ("1,000", "calls", 1000.0),
        ("12,500.5 ns", "us", 12.5005),
        ("-1,234,567", "calls", -1234567.0),
        ("~40,000 calls", "calls", 40000.0),
    ],
)
def test_an_answer_is_read_in_the_unit_asked_for(typed: object, unit: str, value: float) -> None:
    assert read_number(typed, find_unit(unit), at_least=-math.inf) == value


@pytest.mark.parametrize(
    ("typed", "unit", "said"),
    [
        ("three", "µs", "'three' is not a number; expected a time such as 3 or 3 µs or 0.5 ms"),
        ("", "µs", "The field is empty"),
        ("1,5", "µs", "'1,5' could be read as 1.5 or as 15; write the one you mean"),
        ("0,9", "µs", "could be read as 0.9 or as 9;"),
        ("0,900", "µs", "could be read as 0.900 or as 900;"),
        (",5", "µs", "could be read as .5 or as 5;"),
        ("1000,5 ns", "µs", "could be read as 1000.5 or as 10005;"),
        ("1,0000", "µs", "could be read as 1.0000 or as 10000;"),
        ("1,23,456", "µs", "could be read as 123456; write"),
        ("1.000,5", "µs", "could be read as 1000.5; write"),
        ("1,234,5", "µs", "could be read as 12345; write"),
        ("3 MB", "µs", "'3 MB' is a number of bytes; expected a time"),
        ("3 parsecs", "µs", "a count of parsecs; expected a time"),
        ("3 s", "calls", "is a time; expected a count of calls"),
        (-1, "µs", "at least 0 µs"),
        ("nan", "µs", "is not a number"),
        (math.inf, "µs", "is not a finite number"),
        ("1e999", "µs", "is not a finite number"),
        (True, "µs", "True is not a number"),
        (None, "µs", "None is not a number"),
        ([3], "µs", r"\[3\] is not a number"),
        (np.zeros(3), "µs", "is not a single number"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_was_expected(
    typed: object, unit: str, said: str
) -> None:
    with pytest.raises(AnswerError, match=said):
        read_number(typed, find_unit(unit))


def test_the_range_is_in_the_unit_asked_for() -> None:
    percent = find_unit("%")
    assert read_number("100", percent, at_most=100) == 100
    with pytest.raises(AnswerError, match="between 0 % and 100 %"):
        read_number("2 times", percent, at_most=100)
    assert read_number(-3, percent, at_least=-math.inf) == -3


@pytest.mark.parametrize("name", ["", "  ", 3, None, "x" * 50])
def test_a_unit_is_a_short_text(name: object) -> None:
    with pytest.raises(AnswerError, match="A unit is a short text"):
        find_unit(name)  # type: ignore[arg-type]


@given(
    value=st.floats(1e-6, 1e6),
    own=st.sampled_from(sorted(TIMES)),
    asked=st.sampled_from(sorted(TIMES)),
)
def test_converting_a_time_keeps_it(value: float, own: str, asked: str) -> None:
    read = read_number(f"{value!r} {own}", find_unit(asked))
    assert read * TIMES[asked] == pytest.approx(value * TIMES[own], rel=1e-9)


def test_a_measurement_counts_by_its_median_and_a_ratio_by_its_value() -> None:
    measurement = SimpleNamespace(median=2.5e-6, unit="s")
    assert measured_value(measurement, find_unit("us")) == 2.5
    assert measured_value(SimpleNamespace(value=1.5), find_unit("×")) == 1.5
    assert measured_value("900 ns", find_unit("us")) == 0.9
    with pytest.raises(AnswerError, match="is a time; expected a number of bytes"):
        measured_value(measurement, find_unit("MB"))
    with pytest.raises(AnswerError, match="is a ratio; expected a time"):
        measured_value(SimpleNamespace(value=1.5), find_unit("s"))


def test_an_array_with_a_median_method_is_not_taken_for_a_measurement() -> None:
    torch = pytest.importorskip("torch", reason="needs torch")
    assert measured_value(torch.tensor(3.0), find_unit("ms")) == 3.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (3.0, "3"),
        (0.91234, "0.912"),
        (1234.5, "1,230"),
        (999.9, "1,000"),
        (1_000_000.0, "1,000,000"),
        (1e-7, "1.00e-07"),
        (1e12, "1.00e+12"),
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
