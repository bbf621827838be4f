from __future__ import annotations

import asyncio
import gc
import itertools
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hpml.benchmark import compare, measure
from hpml.benchmark.agreement import same_results
from hpml.benchmark.errors import BenchmarkError, ContenderError
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.paired import PairedSamples
from hpml.benchmark.sampling import rounds as sampling
from hpml.benchmark.sampling import timing
from hpml.benchmark.sampling.rounds import schedule
from tests.benchmark.fakes import FakeClock
from tests.parts import raises


def test_measuring_gives_seconds_per_call_by_the_clock() -> None:
    clock = FakeClock()
    result = measure(clock.work(0.3), samples=7, min_sample_time=1.0, clock=clock, name="work")
    assert result.samples == pytest.approx([0.3] * 7)
    assert result.number == 4
    assert result.name == "work"


def test_warm_up_calls_are_counted_and_not_timed() -> None:
    clock = FakeClock()
    calls = 0

    def slow_at_first() -> None:
        nonlocal calls
        calls += 1
        clock.advance(100.0 if calls <= 3 else 1.0)

    result = measure(slow_at_first, warm_up=3, samples=6, min_sample_time=1.0, clock=clock)
    assert result.samples == pytest.approx([1.0] * 6)
    assert result.warm_up == 3 + 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("contenders", [2, 3, 4, 7])
def test_orders_are_balanced_whatever_the_seed(contenders: int, seed: int) -> None:
    orders = schedule(contenders, 4 * contenders, seed)
    assert all(later == first[::-1] for first, later in zip(orders[::2], orders[1::2], strict=True))
    for places in zip(*orders, strict=True):
        assert Counter(places) == dict.fromkeys(range(contenders), 4)
    followed = Counter(pair for order in orders for pair in itertools.pairwise(order))
    assert set(followed.values()) == {4}


def test_contenders_run_in_the_scheduled_order() -> None:
    clock = FakeClock()
    log: list[str] = []
    runs = {name: clock.work(1.0, log, name) for name in "abc"}
    compare(runs, rounds=6, min_sample_time=1.0, warm_up=0, clock=clock, seed=5)
    # One sample of each chooses the number of calls.
    samples = log[3:]
    expected = ["abc"[place] for order in schedule(3, 6, seed=5) for place in order]
    assert samples == expected


def test_a_drift_of_the_machine_cancels_in_the_ratios() -> None:
    clock = FakeClock()
    pace = 1.0

    def at(seconds: float) -> None:
        nonlocal pace
        pace *= 1.002  # the machine grows slower with every call
        clock.advance(seconds * pace)

    runs = {"a": lambda: at(1.0), "b": lambda: at(0.5)}
    result = compare(runs, min_sample_time=0.1, clock=clock, stop_early=False)
    times = result["a"].samples
    assert times[-1] > 1.05 * times[0]
    ratio = result.ratio("b")
    assert ratio.value == pytest.approx(0.5, rel=0.01)
    assert ratio.answer == "faster"
    assert "unstable" in {advice.problem for _, advice in result.advice}


@pytest.mark.parametrize(
    ("slower", "early", "rounds"),
    [(2.0, True, 10), (2.0, False, 25), (1.3, True, 15), (1.12, True, 25)],
)
def test_clear_answers_need_not_all_rounds(slower: float, early: bool, rounds: int) -> None:
    clock = FakeClock()
    runs = {"a": clock.work(1.0), "b": clock.work(slower)}
    found = compare(runs, min_sample_time=1.0, clock=clock, stop_early=early)
    assert (found.rounds, found.asked_rounds, found.ratio("b").answer) == (rounds, 25, "slower")


def test_a_far_answer_that_cannot_score_a_guess_is_not_clear() -> None:
    def spread(factor: float) -> PairedSamples:
        times = tuple(30.0 * factor ** (k % 5 - 2) for k in range(15))
        pair = (Measurement("a", (1.0,) * 15, 1), Measurement("b", times, 1))
        return PairedSamples(pair, "a", 25)

    assert spread(1.05).clear
    wide = spread(1.6)
    assert wide.ratio("b").answer == "slower"
    assert not wide.clear


def test_contenders_are_checked_to_compute_the_same_before_anything_is_timed() -> None:
    clock = FakeClock()
    log: list[str] = []

    differ = BenchmarkError("they differ")

    def check(results: object) -> None:
        assert results == {"a": None, "b": None}
        assert log == ["a", "b"]
        raise differ

    runs = {name: clock.work(1.0, log, name) for name in "ab"}
    with pytest.raises(BenchmarkError) as raised:
        compare(runs, clock=clock, check=check)
    assert raised.value is differ


def test_contenders_of_about_equal_cost_get_one_number() -> None:
    clock = FakeClock()
    runs = {"a": clock.work(0.1), "b": clock.work(0.099), "c": clock.work(0.0101)}
    result = compare(runs, rounds=6, min_sample_time=1.0, clock=clock)
    assert [m.number for m in result] == [11, 11, 100]
    assert "A sample has 11 to 100 calls." in str(result)


def test_the_first_place_may_cost_without_a_false_verdict() -> None:
    clock = FakeClock()
    last = 0

    def at(name: int) -> Callable[[], None]:
        def run() -> None:
            nonlocal last
            # Whoever comes after another one finds his own data gone.
            clock.advance(1.03 if last != name else 1.0)
            last = name

        return run

    for rounds in (7, 15, 25):
        runs = {str(name): at(name) for name in range(3)}
        result = compare(runs, rounds=rounds, min_sample_time=0.5, clock=clock)
        assert {result.ratio(name).answer for name in ("1", "2")} == {"cannot tell"}


def test_a_progress_bar_counts_the_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = FakeClock()
    compare({"a": clock.work(1.0)}, rounds=6, clock=clock, progress="250 layers")
    shown = capsys.readouterr().err
    assert "250 layers" in shown
    assert "6/6" in shown


def test_in_a_notebook_the_progress_bar_is_plain_and_goes_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(sampling, "notebook_shell", lambda: object())
    monkeypatch.setattr(sampling, "put", lambda page, key, again=False: shown.append(page.html))
    clock = FakeClock()
    compare({"a": clock.work(1.0)}, rounds=6, clock=clock, progress="250 layers")
    assert "round 0 of 6" in shown[0]
    assert shown[-1] == ""


QUICK = {"rounds": 6, "min_sample_time": 1e-5}


def test_contenders_that_share_an_output_buffer_are_told_apart() -> None:
    import numpy

    x, buffer = numpy.arange(3.0), numpy.empty(3)
    with raises(
        BenchmarkError, object="result of contender 'b' at [0]", expected="'a'", received="0.0"
    ):
        compare(
            {"a": lambda: numpy.add(x, 1, out=buffer), "b": lambda: numpy.negative(x, out=buffer)},
            check=same_results(),
            **QUICK,
        )


@pytest.mark.parametrize(
    "error", [ValueError("no more"), SystemExit(3), GeneratorExit(), asyncio.CancelledError()]
)
def test_a_contender_that_fails_late_is_named(error: BaseException) -> None:
    clock = FakeClock()
    name = type(error).__name__
    with raises(ContenderError, object="contender 'b'", received=name) as failed:
        compare({"a": clock.work(1.0), "b": failing(clock, error)}, clock=clock, **ONE_CALL)
    assert failed.value.__cause__ is error


def test_ctrl_c_returns_the_complete_rounds() -> None:
    clock = FakeClock()
    left = compare({"a": failing(clock, KeyboardInterrupt())}, clock=clock, **ONE_CALL)
    assert (left.rounds, left.asked_rounds, left.complete) == (11, 25, False)
    assert "stopped; 25 were requested" in str(left)


def test_the_deadline_of_a_caller_is_not_taken_for_ctrl_c() -> None:
    class DeadlineError(KeyboardInterrupt): ...

    clock = FakeClock()
    with pytest.raises(DeadlineError):
        compare({"a": failing(clock, DeadlineError())}, clock=clock, **ONE_CALL)


ONE_CALL = {"warm_up": 0, "min_sample_time": 0.5}


def failing(clock: FakeClock, error: BaseException) -> Callable[[], None]:
    """Return a function that fails in its thirteenth call; the first chooses their number."""
    calls = itertools.count(1)

    def run() -> None:
        clock.advance(1.0)
        if next(calls) > 12:
            raise error

    return run


@pytest.mark.parametrize(
    ("arguments", "object", "received"),
    [
        ({"contenders": {}}, "contenders", "none"),
        ({"contenders": {"a": lambda x: x}}, "contender 'a'", "TypeError"),
        ({"contenders": {"a": 3}}, "contender 'a'", "3"),
        ({"contenders": {"a": lambda: iter("a")}}, "result of a call of contender 'a'", "iterator"),
        ({"baseline": "b"}, "baseline", "'b'"),
        ({"rounds": 0}, "measurement 'a'", "()"),
        ({"check": lambda results: True}, "check", "True"),
        *[({"device": device}, "device", repr(device)) for device in ("CUDA", "gpu", "mps", None)],
    ],
)
def test_natural_mistakes_are_explained(
    arguments: dict[str, Any], object: str, received: str
) -> None:
    with raises(BenchmarkError, object=object, received=received):
        compare(**{"contenders": {"a": dict}, **QUICK, **arguments})


def test_the_rounds_may_be_a_whole_number_of_numpys() -> None:
    import numpy

    result = compare({"a": dict}, rounds=numpy.int64(7), min_sample_time=1e-5)
    assert (result.rounds, type(result.asked_rounds)) == (7, int)


def test_the_collector_passes_over_what_was_there_before_the_rounds() -> None:
    gc.unfreeze()  # what is frozen already stays as it is
    there: list[list[int]] = [[] for _ in range(10_000)]
    young: list[int] = []
    compare({"a": lambda: young.append(len(gc.get_objects()))}, rounds=1, min_sample_time=1e-9)
    assert young[-1] < len(there)


def test_a_small_input_that_is_used_up_gives_no_answer() -> None:
    numbers = iter(range(1000))
    ways = {"fresh": lambda: sum(range(1000)), "used up": lambda: sum(numbers)}
    for more in ({}, {"warm_up": 0}, {"check": lambda results: None}):
        numbers = iter(range(1000))
        result = compare(ways, **{"rounds": 8, "min_sample_time": 1e-4, **more})
        assert result.ratio("used up").answer == "cannot tell"
        assert result["used up"].changed
    assert not compare({"random": random.random}, rounds=1, min_sample_time=1e-5)["random"].changed
    assert not measure(lambda: time.sleep(3e-3), samples=2).changed  # one call a sample


def test_a_cold_first_call_below_a_millisecond_keeps_the_verdict() -> None:
    cold = Measurement("cold", (1e-6,) * 6, number=1000, first=5e-4)
    assert cold.slow_first_call() is None
    assert replace(cold, changed=True).slow_first_call() is not None
    assert replace(cold, first=0.1).slow_first_call() is not None


def test_a_first_call_that_waits_for_another_program_keeps_its_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    calls = iter([0.5])  # seconds that pass while the first call waits

    def waits() -> None:
        now[0] += next(calls, 0.0)

    sampler = timing.Sampler(waits, timing.Settings())
    sampler.call()
    assert now == [0.5]
    assert sampler.first < 0.1


def cycles() -> None:
    for _ in range(500):
        one: list[object] = []
        one.append(one)


def objects() -> None:
    for _ in range(500):
        _ = [None]


def test_the_collector_is_off_unless_asked_for_and_the_table_says_so() -> None:
    seen: list[bool] = []
    for enabled_before in (True, False):
        gc.enable() if enabled_before else gc.disable()
        try:
            for asked in (False, True):
                seen.clear()
                found = compare(
                    {"a": lambda: seen.append(gc.isenabled())}, collector=asked, **QUICK
                )
                # One sample with the collector shows what it would cost.
                assert seen[-1] is True or found["a"].number > 1
                assert seen.count(asked) > len(seen) / 2
                assert found["a"].collector is asked
                assert f"Garbage collector: {'on' if asked else 'off'}." in str(found)
                assert gc.isenabled() is enabled_before
        finally:
            gc.enable()


def test_a_warning_tells_where_the_collector_makes_a_difference() -> None:
    ways = {"objects": objects, "cycles": cycles}
    found = compare(ways, rounds=6, min_sample_time=1e-3)
    assert found["cycles"].collecting > 0.05
    problems = {(name, advice.problem) for name, advice in found.advice}
    assert ("cycles", "garbage collector") in problems
    assert ("objects", "garbage collector") not in problems
    on = compare(ways, rounds=6, min_sample_time=1e-3, collector=True)
    assert not [name for name, advice in on.advice if advice.problem == "garbage collector"]
