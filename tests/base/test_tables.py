from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpml.base.tables import Table, TableError, format_bytes, format_seconds
from tests.parts import raises


def test_text_is_aligned_numbers_right_and_the_rest_left() -> None:
    table = Table(["n", "name"], [[5, "a"], [1000, "long name"], [None, None]], caption="Seen.")
    assert str(table).splitlines() == [
        "   n  name",
        "----  ---------",
        "   5  a",
        "1000  long name",
        "   –  –",
        "Seen.",
    ]


def test_raw_values_survive_and_formats_only_show() -> None:
    table = Table(["time"], [[0.25], [None]], formats={"time": format_seconds})
    assert table.column("time") == (0.25, None)
    assert "250 ms" in str(table)
    assert "250 ms" in table._repr_html_()


def test_html_is_escaped_everywhere() -> None:
    evil = "<script>&"
    table = Table([evil], [[evil]], title=evil, caption=evil, fold=(evil, evil))
    html = table._repr_html_()
    assert "<script>" not in html
    assert html.count("&lt;script&gt;&amp;") == 6


def test_a_row_of_another_length_is_refused() -> None:
    with raises(TableError, object="row 1", expected=("2 values", "a, b"), received="(3,)"):
        Table(["a", "b"], [[1, 2], [3]])
    assert issubclass(TableError, ValueError)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (9.9999e-4, "1.00 ms"),
        (999.4e-6, "999 µs"),
        (1e-9, "1.00 ns"),
        (2.5e-13, "0.00025 ns"),
        (119.0, "119 s"),
        (7200.0, "2.00 h"),
        (-0.25, "-250 ms"),
        (math.nan, "nan s"),
    ],
)
def test_seconds(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (1023 * 1024, "1023 KiB"),
        (2**20 - 1, "1.00 MiB"),
        (5 * 2**50, "5120 TiB"),
    ],
)
def test_bytes(n: int, text: str) -> None:
    assert format_bytes(n) == text


@given(st.floats(1e-9, 7e6))
def test_written_seconds_read_back_within_half_a_percent(seconds: float) -> None:
    number, unit = format_seconds(seconds).split()
    factor = {"h": 3600, "min": 60, "s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    assert float(number.replace(",", "")) * factor == pytest.approx(seconds, rel=0.0051)
