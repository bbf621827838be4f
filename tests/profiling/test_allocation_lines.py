from __future__ import annotations

import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest

from hpml.profiling import ProfilingError, allocation_lines
from tests.parts import raises

NOISE = 8000
"""What the counting itself allocates at most, in bytes."""


def normalise(x: Any) -> Any:
    x -= x.mean()
    x /= x.std()
    if x is None:
        x = 0
    return x


def keep(n: int) -> int:
    kept = []
    for _ in range(3):
        kept.append(bytearray(n))
    size = len(kept)
    del kept
    return size


def test_memory_that_lives_within_a_line_is_seen() -> None:
    x = np.random.default_rng(0).normal(size=200_000)
    normalise(x.copy())  # NumPy imports parts of itself at the first call
    found = allocation_lines(normalise, x)
    by_text = {line.text.strip(): line for line in found.lines}
    assert by_text["x -= x.mean()"].peak == pytest.approx(0, abs=NOISE)
    assert by_text["x /= x.std()"].peak == pytest.approx(x.nbytes, abs=NOISE)
    assert by_text["x /= x.std()"].kept == pytest.approx(0, abs=NOISE)
    assert by_text["x = 0"][1:4] == (None, None, None)
    assert found.peak == pytest.approx(x.nbytes, abs=2 * NOISE)
    assert found.result is x
    assert "785 KiB" not in str(found)
    assert "1.53 MiB" in str(found)


def test_counting_does_not_add_up_over_a_loop() -> None:
    def fill(n: int) -> list[float]:
        out = []
        for i in range(n):
            out.append(i / 2)
        return out

    by_text = {line.text.strip(): line for line in allocation_lines(fill, 20_000).lines}
    floats_and_list = 20_000 * (24 + 8)
    assert by_text["out.append(i / 2)"].kept == pytest.approx(floats_and_list, rel=0.1)
    assert by_text["for i in range(n):"].kept == pytest.approx(0, abs=1000)


def test_everything_is_off_after_an_error() -> None:
    with pytest.raises(TypeError):
        allocation_lines(keep, None)
    assert sys.gettrace() is None
    assert not tracemalloc.is_tracing()


def test_a_second_tracer_and_what_has_no_lines_are_refused() -> None:
    with raises(ProfilingError, object="function of allocation_lines", received="len"):
        allocation_lines(len, [])
    tracemalloc.start()
    try:
        with raises(ProfilingError, object="allocation_lines", expected="tracemalloc switched off"):
            allocation_lines(keep, 1)
    finally:
        tracemalloc.stop()


def stop() -> bytearray:
    tracemalloc.stop()
    return bytearray(10)


def restart() -> bytearray:
    tracemalloc.stop()
    tracemalloc.start()
    return bytearray(10)


def clear() -> bytearray:
    tracemalloc.clear_traces()
    return bytearray(10)


@pytest.mark.parametrize("program", [stop, restart, clear])
def test_a_program_that_stops_tracemalloc_is_refused(program: Any) -> None:
    with raises(
        ProfilingError, object=program.__name__, received="stopped it or cleared its traces"
    ):
        allocation_lines(program)
    assert not tracemalloc.is_tracing()


def test_what_the_lines_keep_sums_to_the_net_change() -> None:
    kept: list[bytearray] = []

    def work(n: int) -> None:
        for _ in range(n):
            kept.append(bytearray(10_000))
            bytearray(50_000)
        kept.pop()

    found = allocation_lines(work, 5)
    assert sum(line.kept or 0 for line in found.lines) == pytest.approx(40_000, abs=NOISE)
