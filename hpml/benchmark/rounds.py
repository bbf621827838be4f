"""Measuring: one contender alone, or several in interleaved rounds.

A machine is never the same for ten seconds: the processor changes its frequency, another program
wakes up, memory fills. Measured one after the other, contenders meet different machines, and the
difference is blamed on them. So every round runs each contender once, and the order within a round
is shuffled, because the second runs in caches that the first has left. The shuffle has a fixed
seed: the same call measures in the same order.
"""

from __future__ import annotations

import contextlib
import gc
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import cast

from hpml.base.environment import environment_record
from hpml.base.errors import describe
from hpml.benchmark.comparison import RESOLUTION, Comparison
from hpml.benchmark.contender import AnyContender, Contender
from hpml.benchmark.errors import BenchmarkError, StoppedError
from hpml.benchmark.measurement import Environment, Measurement
from hpml.benchmark.timing import Sampler, Settings, choose_number


def measure(
    run: Callable[[], object] | str,
    *,
    name: str | None = None,
    samples: int = 15,
    min_sample_time: float = 2e-3,
    warm_up: int = 1,
    number: int | None = None,
    threads: int = 1,
    device: str = "cpu",
    garbage: bool = False,
    names: Mapping[str, object] | None = None,
    clock: Callable[[], float] | None = None,
) -> Measurement:
    """Measure one function without arguments, or one statement.

    Args:
        run: what to time; its result is dropped.
        name: how to call it; by default the function's own name, or the statement.
        samples: how many to take.
        min_sample_time: seconds that each sample should last; decides the calls per sample.
        warm_up: calls before anything is timed.
        number: calls per sample, in place of choosing it by `min_sample_time`.
        threads, device, garbage, clock: see `hpml.benchmark.timing.Settings`.
        names: the global names that a statement uses.

    Returns:
        A `Measurement` with `samples` samples in seconds per call. Print it to see median,
        quartiles and a verdict on its quality.

    Raises:
        BenchmarkError: if an argument is out of range, or the clock does not advance.

    Timing is that of `torch.utils.benchmark.Timer` where torch is loaded, else of `timeit`;
    ``timer`` of the result says which.

    >>> result = measure(lambda: sum(range(100)), name="sum", samples=7)
    >>> result.name, len(result.samples), result.median > 0
    ('sum', 7, True)
    """
    contender = Contender(name or _name_of(run), run, names or {})
    settings = Settings(threads, device, min_sample_time, garbage, warm_up, clock)
    return _run([contender], settings, [(0,)] * _positive("samples", samples), number=number)[0]


def compare(
    contenders: Mapping[str, Callable[[], object] | str] | Sequence[AnyContender],
    *,
    baseline: str | None = None,
    rounds: int = 25,
    min_sample_time: float = 2e-3,
    warm_up: int = 1,
    threads: int = 1,
    device: str = "cpu",
    garbage: bool = False,
    resolution: float = RESOLUTION,
    seed: int = 0,
    progress: bool | str = False,
    stop: Callable[[], bool] | None = None,
    check: Callable[[Mapping[str, object]], None] | None = None,
    clock: Callable[[], float] | None = None,
) -> Comparison:
    """Measure several contenders in interleaved rounds and compare them with a baseline.

    Args:
        contenders: functions or statements by name; or `Contender` and `ProcessContender`.
        baseline: the name of the one to compare with; by default the first.
        rounds: how often each contender is sampled. At least 6 for any answer, 25 for differences
            of a few per cent.
        min_sample_time: seconds that each sample should last.
        warm_up: calls of each contender before anything is timed.
        threads, device, garbage, clock: see `hpml.benchmark.timing.Settings`.
        resolution: the smallest change that is believed, as a fraction.
        seed: of the order within the rounds.
        progress: show a progress bar, with this text if it is one.
        stop: asked before each round; once it says True, what was measured so far is returned.
        check: called with one result of each contender before anything is timed, and raises if
            they do not compute the same; see `hpml.benchmark.agreement.same_results`.

    Returns:
        A `Comparison`; print it, or call its ``table()``, ``plot()``, ``ratio(name)``.

    Raises:
        BenchmarkError: if an argument is out of range, there are no contenders, or `check` fails.
        WorkerError: if a contender in a process of its own failed.
        StoppedError: if `stop` said True before the first round was complete.

    >>> comparison = compare({"sum": lambda: sum(range(1000)), "short": lambda: sum(range(10))},
    ...                      rounds=7, min_sample_time=1e-4)
    >>> comparison.ratio("short").answer
    'faster'
    """
    listed: list[AnyContender] = (
        [Contender(name, run) for name, run in contenders.items()]
        if isinstance(contenders, Mapping)
        else list(contenders)
    )
    known = [contender.name for contender in listed]
    if not known or len(set(known)) != len(known):
        raise BenchmarkError(
            f"contenders: expected at least one, with different names, got {describe(known)}."
        )
    if baseline is not None and baseline not in known:
        raise BenchmarkError(
            f"baseline: expected one of {', '.join(known)}, got {describe(baseline)}."
        )
    settings = Settings(threads, device, min_sample_time, garbage, warm_up, clock)
    orders = schedule(len(listed), _positive("rounds", rounds), seed)
    measurements = _run(listed, settings, orders, check=check, progress=progress, stop=stop)
    return Comparison(tuple(measurements), baseline or known[0], rounds, seed, resolution)


def schedule(contenders: int, rounds: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Return the order of the contenders' places in each round.

    >>> schedule(3, 4, seed=0)
    ((1, 2, 0), (1, 2, 0), (1, 2, 0), (2, 0, 1))
    """
    generator = random.Random(seed)
    places = range(contenders)
    return tuple(tuple(generator.sample(places, contenders)) for _ in range(rounds))


def _run(
    contenders: Sequence[AnyContender],
    settings: Settings,
    orders: Sequence[tuple[int, ...]],
    *,
    number: int | None = None,
    check: Callable[[Mapping[str, object]], None] | None = None,
    progress: bool | str = False,
    stop: Callable[[], bool] | None = None,
) -> list[Measurement]:
    """Take one sample of each contender a round, in the given orders."""
    with contextlib.ExitStack() as opened:
        samplers: list[Sampler] = []
        for contender in contenders:
            sampler = contender.open(settings)
            opened.callback(sampler.close)
            samplers.append(sampler)
        if check is not None:
            names = (contender.name for contender in contenders)
            check({name: sampler.result() for name, sampler in zip(names, samplers, strict=True)})
        prepared = [_warm_up(sampler, settings, number) for sampler in samplers]
        if not settings.garbage:
            opened.enter_context(_only_new_garbage())
        rounds: list[list[float]] = []
        for order in _with_progress(orders, progress):
            if stop is not None and stop():
                break
            # The garbage of the last round is nobody's in this one.
            gc.collect()
            times = [0.0] * len(samplers)
            for place in order:
                calls = prepared[place][0]
                times[place] = samplers[place].elapsed(calls) / calls
            rounds.append(times)
        if not rounds:
            raise StoppedError("Stopped before the first round was complete: nothing was measured.")
        here: Environment = environment_record(threads=settings.threads, device=settings.device)
        return [
            Measurement(
                contender.name,
                tuple(times[place] for times in rounds),
                number=prepared[place][0],
                warm_up=prepared[place][1],
                device=settings.device,
                threads=settings.threads,
                timer=samplers[place].timer,
                garbage=settings.garbage,
                process=samplers[place].process,
                environment=samplers[place].environment or here,
            )
            for place, contender in enumerate(contenders)
        ]


@contextlib.contextmanager
def _only_new_garbage() -> Iterator[None]:
    """Let the collector pass over what is there already: 50 ms a look, with torch loaded."""
    if gc.get_freeze_count():
        yield  # somebody else has set it aside, and will want it so afterwards
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _warm_up(sampler: Sampler, settings: Settings, number: int | None) -> tuple[int, int]:
    """Return the calls per sample, and how many calls came before the first sample."""
    for _ in range(settings.warm_up):
        sampler.call()
    if number is not None:
        return _positive("number", number), settings.warm_up
    number, tried = choose_number(sampler.elapsed, settings.min_sample_time)
    return number, settings.warm_up + sum(tried)


def _with_progress(
    orders: Sequence[tuple[int, ...]], progress: bool | str
) -> Iterable[tuple[int, ...]]:
    if not progress:
        return orders
    from tqdm.auto import tqdm

    text = progress if isinstance(progress, str) else None
    # A round is long: show each, the last one too.
    bar = tqdm(orders, desc=text, unit="round", leave=False, mininterval=0, miniters=1)
    return cast("Iterable[tuple[int, ...]]", bar)


def _name_of(run: Callable[[], object] | str) -> str:
    if isinstance(run, str):
        return run
    return str(getattr(run, "__name__", type(run).__name__))


def _positive(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BenchmarkError(
            f"{name}: expected a whole number of at least 1, got {describe(value)}."
        )
    return value
