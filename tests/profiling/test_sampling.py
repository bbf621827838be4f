from __future__ import annotations

import math
import sys
import time

import pytest
import torch

from hpml.profiling import ProfilingError, profile, sample


def slow(n: int) -> int:
    return sum(i * i for i in range(n))


def both() -> int:
    return slow(1_500_000) + slow(500_000)


def test_the_tree_begins_at_the_function_and_adds_up() -> None:
    found = sample(both)
    assert found.result == both()
    assert found.tree.name == "both"
    names = {frame.name for _, frame in found.tree.walk()}
    assert {"both", "slow"} <= names
    assert found.tree.total == pytest.approx(found.seconds, rel=0.2)
    heavy = max((frame for _, frame in found.tree.walk()), key=lambda frame: frame.own)
    assert heavy.name in {"slow", "<genexpr>"}
    assert f"{found.count:,} samples" in found.icicle().html


def test_it_is_off_after_an_error() -> None:
    before = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError):
        sample(lambda: slow(1000) // 0)
    assert sys.getswitchinterval() == before
    assert sample(slow, 1_000_000).count > 0
    assert profile(slow, 10).result == 285


def test_the_time_of_an_operator_counts_for_its_function() -> None:
    matrix = torch.rand(400, 400)

    def heavy() -> torch.Tensor:
        return matrix @ matrix

    def light() -> int:
        return 1

    found = sample(lambda: [(heavy(), light()) for _ in range(200)], interval=1e-3)
    own = {frame.name: frame.own for _, frame in found.tree.walk()}
    assert own["heavy"] > 3 * own.get("light", 0.0)


def test_a_second_profiler_is_refused() -> None:
    for inner in (lambda: sample(slow, 10**6), lambda: profile(slow, 10)):
        with pytest.raises(ProfilingError):
            sample(inner)
    with pytest.raises(ProfilingError):
        profile(lambda: sample(slow, 10))


def test_samples_are_not_in_step_with_a_loop() -> None:
    def one() -> None:
        time.sleep(0.001)

    def run() -> None:
        for _ in range(100):
            one()
            time.sleep(0.001)

    own = {frame.name: frame.own for _, frame in sample(run, interval=2e-3).tree.walk()}
    assert 0.4 < own["one"] / own["run"] < 2.5


def test_bad_input_is_refused() -> None:
    with pytest.raises(ProfilingError):
        sample(3)  # type: ignore[arg-type]
    for interval in (0, math.inf, "1 ms"):
        with pytest.raises(ProfilingError):
            sample(slow, 10, interval=interval)  # type: ignore[arg-type]
    with pytest.raises(ProfilingError):
        sample(lambda: None, interval=10)
