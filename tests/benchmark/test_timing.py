from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future

import pytest

from hpml.benchmark import measure
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.sampling import timing
from hpml.benchmark.sampling.timing import Sampler, Settings, choose_number
from tests.benchmark.fakes import FakeClock
from tests.parts import raises


@pytest.mark.parametrize(
    ("per_call", "wanted", "number"),
    [(1.0, 0.5, 1), (1.0, 1.0, 1), (0.4, 1.0, 3), (0.01, 1.0, 100), (3e-4, 1.0, 3334)],
)
def test_a_sample_gets_the_fewest_calls_that_last_long_enough(
    per_call: float, wanted: float, number: int
) -> None:
    tried = []

    def elapsed(calls: int) -> float:
        tried.append(calls)
        return calls * per_call + 1e-12

    found, cost, made = choose_number(elapsed, wanted)
    assert (found, made) == (number, sum(tried))
    assert cost == pytest.approx(per_call)
    # No pause lasts as long as these trials: none is repeated.
    assert len(tried) == len(set(tried))
    assert all(n * per_call < wanted for n in tried[:-1])


def test_one_pause_in_one_trial_does_not_choose_the_number() -> None:
    pauses = iter([0.0, 0.0, 0.05, 0.05])
    assert choose_number(lambda n: n * 1e-4 + next(pauses, 0.0), 0.01)[0] == 100


def test_untimed_calls_come_before_a_sample_unless_one_call_fills_it() -> None:
    clock = FakeClock()
    log: list[str] = []
    sampler = Sampler(clock.work(1.0, log, "x"), Settings(clock=clock))
    for number, calls in ((3, 1 + 3), (500, 5 + 500), (1, 1)):
        log.clear()
        sampler.elapsed(number)
        assert len(log) == calls


def test_the_collector_is_off_in_samples() -> None:
    seen = []
    Sampler(lambda: seen.append(gc.isenabled()), Settings()).elapsed(1)
    assert set(seen) == {False}
    assert gc.isenabled()


def test_torch_is_held_to_the_number_of_threads() -> None:
    import torch

    seen = []
    sampler = Sampler(lambda: seen.append(torch.get_num_threads()), Settings(threads=2))
    before = torch.get_num_threads()
    sampler.elapsed(1)
    assert set(seen) == {2}
    assert torch.get_num_threads() == before


def test_comparing_and_recording_the_machine_load_neither_torch_nor_numpy() -> None:
    code = (
        "import sys\n"
        "from hpml.benchmark import compare, measure\n"
        "measure(dict, samples=6, min_sample_time=1e-5)\n"
        "str(compare({'a': dict, 'b': dict}, rounds=6, min_sample_time=1e-5))\n"
        "print([m for m in ('torch', 'matplotlib', 'numpy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("reading", [float("nan"), float("inf"), -1.0])
def test_a_clock_that_does_not_only_advance_is_named(reading: float) -> None:
    readings = iter([0.0, 0.0, 0.0, reading])
    sampler = Sampler(lambda: None, Settings(clock=lambda: next(readings)))
    with raises(BenchmarkError, object="clock", received=f"{reading} s for 2 calls"):
        sampler.elapsed(2)


def test_a_frozen_clock_ends_by_the_systems_own(monkeypatch: pytest.MonkeyPatch) -> None:
    system = FakeClock()
    monkeypatch.setattr(timing.time, "monotonic", system)
    sampler = Sampler(lambda: system.advance(0.1), Settings(clock=lambda: 5.0))
    with raises(BenchmarkError, object="clock", received="0 s for"):
        choose_number(sampler.elapsed, 1.0)


def test_cuda_without_a_gpu_is_a_clear_error() -> None:
    with raises(BenchmarkError, object="device", expected="cpu", received="'cuda'"):
        Sampler(lambda: None, Settings(device="cuda"))


@pytest.mark.gpu
def test_on_a_gpu_the_sample_lasts_until_the_work_is_done() -> None:
    import torch

    a = torch.rand(4096, 4096, device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def work() -> None:
        start.record()
        for _ in range(10):
            a @ a
        end.record()

    elapsed = Sampler(work, Settings(device="cuda")).elapsed(1)
    torch.cuda.synchronize()
    assert elapsed >= 0.9 * start.elapsed_time(end) / 1e3


class AwaitsItsCall:
    async def __call__(self) -> None: ...


PROMISED = "result of a call of contender 'a'"


@pytest.mark.parametrize(
    "lazy",
    [
        Future,
        lambda: (n for n in "ab"),
        lambda: map(str, "ab"),
        lambda: (1, (n for n in "ab")),
        lambda: {"x": map(str, "ab")},
    ],
)
@pytest.mark.parametrize("more", [{}, {"warm_up": 0}])
def test_no_promise_is_timed_even_without_warming_up(
    lazy: Callable[[], object] | str, more: dict[str, int]
) -> None:
    with raises(BenchmarkError, object=PROMISED, received="which computes later"):
        measure(lazy, name="a", samples=2, min_sample_time=1e-5, **more)  # type: ignore[arg-type]


def test_an_object_with_an_asynchronous_call_and_an_asynchronous_generator_are_refused() -> None:
    async def numbers() -> AsyncIterator[int]:
        yield 1

    for lazy in (AwaitsItsCall(), numbers):
        with raises(BenchmarkError, object=PROMISED, received="which computes later"):
            measure(lazy, name="a", warm_up=0, samples=2)


def test_an_open_file_is_a_result() -> None:
    with open(__file__) as file:
        Sampler(lambda: file, Settings()).call()
