"""Measure one contender alone, or several in interleaved rounds.

Every round runs each contender once. Each finds the caches as its predecessor left them, so the
orders within the rounds are balanced.
"""

from __future__ import annotations

import contextlib
import gc
import html
import math
import operator
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from hpml.base import module_calls
from hpml.base.environment import environment_record
from hpml.base.errors import describe
from hpml.base.page import Page, notebook_shell, put
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import BenchmarkError, ContenderError
from hpml.benchmark.measurement import Environment, Measurement
from hpml.benchmark.ratio import RESOLUTION
from hpml.benchmark.sampling.fresh import Contender, messages_of, sample_in_processes
from hpml.benchmark.sampling.timing import Sampler, Settings, choose_number

SIMILAR_COST = 1.5
"""Contenders whose costs differ by no more than this factor get the same number of calls."""

FEWEST_TO_STOP = 10
"""Rounds before the first interim analysis: fewer cannot reach a level of 0.2 %."""

FROZEN_BY_PYTHON = 1000
"""More objects than the interpreter freezes itself: 375 in Python 3.12, none in the others."""


def measure(
    run: Callable[[], object],
    *,
    name: str | None = None,
    samples: int = 15,
    min_sample_time: float = 2e-3,
    warm_up: int = 1,
    clock: Callable[[], float] | None = None,
) -> Measurement:
    """Measure one function without arguments.

    Args:
        run: the function to time; its result is ignored.
        name: the name of the measurement; by default the function's name.
        samples: the number of samples.
        min_sample_time: minimum seconds per sample; determines the calls per sample.
        warm_up: calls before anything is timed.
        clock: returns seconds; by default `time.perf_counter`.

    Returns:
        A `Measurement` in seconds per call. Print it to see the median, the quartiles and advice
        on its quality.

    Raises:
        BenchmarkError: if the clock does not advance.
        ContenderError: if the function fails.

    >>> result = measure(lambda: sum(range(100)), name="sum", samples=7)
    >>> result.name, len(result.samples), result.median > 0
    ('sum', 7, True)
    """
    name = name or str(getattr(run, "__name__", type(run).__name__))
    comparison = compare(
        {name: run}, rounds=samples, min_sample_time=min_sample_time, warm_up=warm_up, clock=clock
    )
    if not comparison.complete:
        raise KeyboardInterrupt(f"after {comparison.rounds} of {samples} samples")
    return comparison[name]


@module_calls.measuring
def compare(
    contenders: Mapping[str, Contender],
    *,
    baseline: str | None = None,
    rounds: int = 25,
    processes: int | None = None,
    setup: str = "",
    min_sample_time: float = 2e-3,
    warm_up: int = 1,
    threads: int = 1,
    device: str = "cpu",
    resolution: float = RESOLUTION,
    seed: int = 0,
    stop_early: bool = True,
    progress: bool | str = False,
    check: Callable[[Mapping[str, object]], None] | None = None,
    clock: Callable[[], float] | None = None,
    collector: bool = False,
) -> Comparison:
    """Measure several contenders in interleaved rounds and compare them with a baseline.

    One process cannot see what differs only between processes: the seed of hashes, the addresses
    of the program and of its memory, and what was imported or compiled before. With
    ``processes=5`` each contender runs in five fresh processes of its own. The processes of a group
    take samples in turns, and the interval covers the differences between groups: it is Student's,
    with one value for each group.

    Args:
        contenders: functions without arguments, by name; their results are ignored. A fresh
            process must be able to make them: there they are functions of imported modules, a
            `functools.partial` of one, or source text as for `timeit`.
        baseline: the name of the baseline; by default the first contender.
        rounds: samples per contender; at least 6 for any answer, 25 for differences of a few per
            cent, see `resolution`.
        processes: the number of fresh processes of each contender, at least 2; 5 or more for
            differences below a factor of 1.5. The rounds are divided among them, rounded up. By
            default all contenders run in this process.
        setup: source text that each fresh process runs first, for contenders that are text.
        min_sample_time: minimum seconds per sample.
        warm_up: calls of each contender before anything is timed. More than one declares that
            first calls are slow, as with compilation, and disables the advice on them.
        threads: size of torch's thread pool during a sample.
        device: "cpu" or "cuda", stored with the result. If the process uses a GPU, it is
            synchronised before each reading of the clock, so a sample is the wall-clock time from
            first launch to last result.
        resolution: the smallest change that counts as real from 25 rounds on, as a fraction; with
            15 to 24 rounds it is five times as large, with fewer ten times.
        seed: the seed of the order within the rounds.
        stop_early: whether to stop after a third, three fifths or four fifths of the rounds (at
            least 10) if each ratio to the baseline is then far from 1; see `PairedSamples.clear`
            for the error rate. Not with `processes`.
        progress: whether to show a progress bar, or its label.
        check: called with one result of each contender before anything is timed; raises if they
            differ, such as ``hpml.benchmark.agreement.same_results()``.
        clock: returns seconds; by default `time.perf_counter`.
        collector: whether Python's garbage collector is enabled during the samples, as when
            programs run. By default it is off, as in `timeit`: then a sample has no cost of
            earlier garbage. The table says which, and warns if a contender would spend more than
            5 % of its time in collections.

    Returns:
        A `Comparison`; print it, or call its ``plot()`` and ``ratio(name)``. Ctrl-C ends the
        measurement and returns the complete rounds.

    Raises:
        BenchmarkError: if a contender is not a function or cannot be sent to a fresh process, the
            baseline or device is unknown, or `check` fails.
        ContenderError: if a contender fails.

    Source: https://pyperf.readthedocs.io/en/latest/run_benchmark.html on several processes;
    T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, on the
    levels of a benchmark.

    >>> texts = {"loop": "[n * n for n in numbers]", "empty": "pass"}
    >>> found = compare(texts, setup="numbers = range(2000)", processes=2, rounds=6)
    >>> found.processes, found.rounds, found.ratio("empty").value < 1
    (2, 6, True)
    >>> comparison = compare({"sum": lambda: sum(range(1000)), "short": lambda: sum(range(10))},
    ...                      rounds=7, min_sample_time=1e-4)
    >>> comparison.ratio("short").answer
    'faster'
    """
    if not contenders:
        raise BenchmarkError(
            object="contenders",
            expected="one or more functions by name",
            received="none",
            remedy="Write compare({'name': function}).",
        )
    for name, run in contenders.items():
        if isinstance(run, str) and processes is not None:
            continue
        if not callable(run):
            raise BenchmarkError(
                object=f"contender {name!r}",
                expected="a function without arguments",
                received=describe(run),
                remedy="Pass the function, not its result: `f`, not `f()`; for arguments use "
                "`lambda: f(x)`.",
            )
    names, rounds = list(contenders), operator.index(rounds)
    if baseline is not None and baseline not in names:
        raise BenchmarkError(
            object="baseline",
            expected=f"one of {', '.join(names)}",
            received=describe(baseline),
            remedy="Pass one of these names.",
        )
    settings = Settings(threads, device, min_sample_time, warm_up, clock, collector)
    _check_processes(processes, setup, clock)
    if processes is not None:
        per_process = math.ceil(rounds / processes)
        measured = sample_in_processes(
            messages_of(contenders, setup),
            _with_progress(
                [
                    order
                    for group in range(processes)
                    for order in schedule(len(names), per_process, seed + group)
                ],
                progress,
            ),
            processes=processes,
            rounds=per_process,
            settings=settings,
            same_calls=_same_calls,
            check=None if check is None else partial(_call_check, check),
        )
        asked = per_process * processes
        return Comparison(tuple(measured), baseline or names[0], asked, seed, resolution)
    samplers: dict[str, Sampler] = {}
    for name, run in contenders.items():
        assert not isinstance(run, str)  # refused above
        with _named(name):
            samplers[name] = Sampler(run, settings)
    if check is not None:
        _check_results(check, samplers)
    prepared = _prepare(samplers, settings)
    times: list[list[float]] = []
    collecting: dict[str, float] = {}

    def compared() -> Comparison:
        measurements = tuple(_measurements(prepared, times, settings, collecting))
        return Comparison(measurements, baseline or names[0], rounds, seed, resolution)

    stops = looks(rounds) if stop_early else ()
    with contextlib.nullcontext() if collector else _only_new_garbage():
        try:
            for order in _with_progress(schedule(len(names), rounds, seed), progress):
                # Otherwise this round would pay for the garbage of the last one.
                gc.collect()
                round_times = [0.0] * len(names)
                for index in order:
                    one = prepared[index]
                    with _named(one.name):
                        round_times[index] = one.sampler.elapsed(one.number) / one.number
                times.append(round_times)
                if len(times) in stops and compared().clear:
                    break
            if not collector and clock is None:
                for one in prepared:
                    with _named(one.name):
                        collecting[one.name] = one.sampler.collecting(one.number)
        except KeyboardInterrupt as error:
            # A subclass is the deadline of a caller, who handles it.
            if not times or type(error) is not KeyboardInterrupt:
                raise
    return compared()


def looks(rounds: int) -> tuple[int, ...]:
    """Return the numbers of rounds after which to test whether the answer is clear.

    >>> looks(60), looks(25), looks(10)
    ((20, 36, 48), (10, 15, 20), ())
    """
    shares = (math.ceil(rounds * part) for part in (1 / 3, 3 / 5, 4 / 5))
    counts = sorted({max(FEWEST_TO_STOP, count) for count in shares})
    return tuple(count for count in counts if count < rounds)


def schedule(contenders: int, rounds: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Return the order of the contenders in each round.

    Each order is followed by its reverse. In a cycle of twice as many rounds as contenders, each
    contender is twice at each position and equally often after each other one. The contenders are
    shuffled again for each cycle.

    Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of
    treatments", Australian Journal of Scientific Research A 2, 1949.

    >>> schedule(3, 6, seed=0)
    ((1, 2, 0), (0, 2, 1), (2, 0, 1), (1, 0, 2), (0, 1, 2), (2, 1, 0))
    """
    rng = random.Random(seed)
    # 0, 1, k - 1, 2, k - 2, ...: every distance between neighbours occurs once.
    zigzag = sorted(
        range(contenders), key=lambda place: min(2 * place - 1, 2 * (contenders - place))
    )
    orders: list[tuple[int, ...]] = []
    while len(orders) < rounds:
        shuffled = rng.sample(range(contenders), contenders)
        for turn in range(contenders):
            order = tuple(shuffled[(place + turn) % contenders] for place in zigzag)
            orders += [order, order[::-1]]
    return tuple(orders[:rounds])


@dataclass(frozen=True)
class _Prepared:
    """A contender that is ready to be sampled."""

    name: str
    sampler: Sampler
    number: int
    warm_up: int


def _check_results(
    check: Callable[[Mapping[str, object]], object], samplers: Mapping[str, Sampler]
) -> None:
    """Call `check` with one result of each contender."""
    results = {}
    for name, sampler in samplers.items():
        with _named(name):
            results[name] = sampler.result()
    _call_check(check, results)


def _call_check(
    check: Callable[[Mapping[str, object]], object], results: Mapping[str, object]
) -> None:
    answer = check(results)
    if answer is not None:
        raise BenchmarkError(
            object="check",
            expected="a function that raises if the results differ and returns nothing",
            received=f"one that returned {describe(answer)}",
            remedy="Raise a BenchmarkError in it, or use `same_results()`, with its brackets.",
        )


def _prepare(samplers: Mapping[str, Sampler], settings: Settings) -> list[_Prepared]:
    """Warm up all contenders and choose their calls per sample."""
    chosen: dict[str, tuple[int, float, int]] = {}
    for name, sampler in samplers.items():
        with _named(name):
            for _ in range(settings.warm_up):
                sampler.call()
            chosen[name] = choose_number(sampler.elapsed, settings.min_sample_time)
    numbers = _same_calls(chosen)
    return [
        _Prepared(name, samplers[name], numbers[name], settings.warm_up + calls)
        for name, (_, _, calls) in chosen.items()
    ]


def _same_calls(chosen: Mapping[str, tuple[int, float, int]]) -> dict[str, int]:
    """Return the calls per sample, the same for contenders of similar cost."""
    numbers: dict[str, int] = {}
    group: list[str] = []
    for name in sorted(chosen, key=lambda name: chosen[name][1]):
        if group and chosen[name][1] > SIMILAR_COST * chosen[group[-1]][1]:
            group = []
        group.append(name)
        numbers.update(dict.fromkeys(group, max(chosen[other][0] for other in group)))
    return numbers


def _check_processes(processes: int | None, setup: str, clock: Callable[[], float] | None) -> None:
    """Raise an error for options that do not fit together."""
    if processes is None:
        if setup:
            raise BenchmarkError(
                object="setup",
                expected="contenders in fresh processes",
                received="none: processes was not passed",
                remedy="Pass processes=5, or run the setup before compare.",
            )
        return
    if not isinstance(processes, int) or isinstance(processes, bool) or processes < 2:
        raise BenchmarkError(
            object="processes",
            expected="an integer of at least 2, or None",
            received=describe(processes),
            remedy="Pass processes=5: one process does not show how processes differ.",
        )
    if clock is not None:
        raise BenchmarkError(
            object="clock",
            expected="none, with processes",
            received=describe(clock),
            remedy="Leave it out: fresh processes read time.perf_counter.",
        )


def _measurements(
    prepared: Sequence[_Prepared],
    rounds: Sequence[Sequence[float]],
    settings: Settings,
    collecting: Mapping[str, float],
) -> list[Measurement]:
    environment: Environment = environment_record(threads=settings.threads, device=settings.device)
    return [
        Measurement(
            contender.name,
            tuple(times[index] for times in rounds),
            number=contender.number,
            warm_up=contender.warm_up,
            device=settings.device,
            threads=settings.threads,
            environment=environment,
            first=contender.sampler.first if settings.warm_up < 2 else 0.0,
            changed=contender.sampler.changed,
            collector=settings.collector,
            collecting=collecting.get(contender.name, 0.0),
        )
        for index, contender in enumerate(prepared)
    ]


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    """Turn an exception of a contender into a `ContenderError` with its name."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a contender that exits would end the program silently
        raise _failed(name, error) from error


def _failed(name: str, error: BaseException) -> ContenderError:
    """Return the error for a contender that failed, with the parts of an error of ours."""
    who = f"contender {name!r}"
    if isinstance(error, BenchmarkError) and error.object:
        parts = {**error.parts, "object": f"{error.object} of {who}"}
        return ContenderError(**{**parts, "sentence": f"Contender {name!r}: {error.sentence}"})
    said = f"{type(error).__name__}: {error}"
    return ContenderError(
        f"Contender {name!r}: {said.rstrip('.')}.",
        object=who,
        expected="a function that ends without an exception",
        received=said,
        remedy="Correct it, or leave it out.",
    )


@contextlib.contextmanager
def _only_new_garbage() -> Iterator[None]:
    """Exclude existing objects from garbage collection, which takes 50 ms with torch loaded."""
    if gc.get_freeze_count() > FROZEN_BY_PYTHON:
        yield  # other code has frozen objects, and unfreezing would affect it
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _with_progress(
    orders: Sequence[tuple[int, ...]], progress: bool | str
) -> Iterable[tuple[int, ...]]:
    if not progress:
        return orders
    text = progress if isinstance(progress, str) else ""
    if notebook_shell() is not None:
        return _in_the_page(orders, text)
    from tqdm import tqdm

    # Rounds are long, so show each one, including the last.
    bar = tqdm(orders, desc=text or None, unit="round", leave=False, mininterval=0, miniters=1)
    return cast("Iterable[tuple[int, ...]]", bar)


def _in_the_page(orders: Sequence[tuple[int, ...]], text: str) -> Iterator[tuple[int, ...]]:
    """Yield the orders and show progress as HTML, which disappears at the end.

    A widget of ipywidgets would leave an error message in a reopened notebook.
    """
    key, last_update = uuid.uuid4().hex, 0.0
    try:
        for done, order in enumerate(orders):
            if time.perf_counter() - last_update > 0.1:
                bar = f'<progress max="{len(orders)}" value="{done}"></progress>'
                label = f"<small>{html.escape(text)} {bar} round {done} of {len(orders)}</small>"
                put(Page("", label), key, again=done > 0)
                last_update = time.perf_counter()
            yield order
    finally:
        put(Page("", ""), key, again=True)
