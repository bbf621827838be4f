from __future__ import annotations

import tracemalloc

import pytest

from hpml.course.sandbox.allocations import peak_of


def test_what_is_freed_again_counts_once_and_what_was_held_does_not() -> None:
    held = bytearray(500_000)
    twice = peak_of(lambda size: len(bytearray(size)) + len(bytearray(size)), {"size": 100_000})
    result, peak = twice
    assert result == 200_000
    assert 100_000 <= peak < 110_000
    assert len(held) == 500_000


@pytest.mark.parametrize("on", [False, True])
def test_tracing_is_as_it_was_also_after_an_error(on: bool) -> None:
    if on:
        tracemalloc.start()
    try:
        with pytest.raises(ZeroDivisionError):
            peak_of(lambda x: 1 / x, {"x": 0})
        assert tracemalloc.is_tracing() is on
    finally:
        tracemalloc.stop()
