from __future__ import annotations

import math
import signal
import threading

import pytest

from hpml.profiling import ProfilingError, Samples, profile, sample


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


def test_it_is_off_after_an_error_and_its_signal_is_whose_it_was() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(ZeroDivisionError):
        sample(lambda: slow(1000) // 0)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert sample(slow, 1_000_000).count > 0
    assert profile(slow, 10).result == 285


def test_a_thread_that_gets_no_signals_is_sampled_all_the_same() -> None:
    found: list[Samples] = []
    thread = threading.Thread(target=lambda: found.append(sample(both)))
    thread.start()
    thread.join()
    assert found[0].tree.name == "both"


def test_a_second_profiler_is_refused() -> None:
    for inner in (lambda: sample(slow, 10**6), lambda: profile(slow, 10)):
        with pytest.raises(ProfilingError):
            sample(inner)
    with pytest.raises(ProfilingError):
        profile(lambda: sample(slow, 10))


def test_a_function_that_takes_the_timer_is_refused() -> None:
    def with_its_own_timer() -> None:
        before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
        slow(1000)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    with pytest.raises(ProfilingError):
        sample(with_its_own_timer)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ProfilingError):
        sample(3)  # type: ignore[arg-type]
    for interval in (0, math.inf, "1 ms"):
        with pytest.raises(ProfilingError):
            sample(slow, 10, interval=interval)  # type: ignore[arg-type]
    with pytest.raises(ProfilingError):
        sample(lambda: None, interval=10)
