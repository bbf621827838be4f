"""Wrong answers to `repeat`: each docstring is the diagnosis."""

import gc
from itertools import count


def _timed(run, clock, number):
    start = clock()
    run(number)
    return clock() - start


def _samples(run, clock, *, keep_first=False, whole=False):
    for number in (digit * 10**power for power in count() for digit in (1, 2, 5)):
        first = _timed(run, clock, number)
        if first >= 0.2:
            break
    times = [first] if keep_first else []
    times += [_timed(run, clock, number) for _ in range(5 - len(times))]
    return times if whole else [time / number for time in times]


def _collector_off(run, clock, **options):
    gc.disable()
    try:
        return _samples(run, clock, **options)
    finally:
        gc.enable()


def always_on(run, clock):
    """It switches the collector on at the end, even if it was off before the call. Ask `gc.isenabled()`
    first."""
    return _collector_off(run, clock)


def collector_forgotten(run, clock):
    """The collector was on during the runs: a collection may fall into any of them."""
    return _samples(run, clock)


def first_run_counts(run, clock):
    """The run in which the number was found is used as the first sample. It may be the very first
    run, which includes the warm-up. Take five new ones."""
    return _collector_off(run, clock, keep_first=True)


def not_after_an_error(run, clock):
    """After an error the collector stays off: what must happen in any case belongs in `finally`."""
    was_on = gc.isenabled()
    gc.disable()
    samples = _samples(run, clock)
    if was_on:
        gc.enable()
    return samples


def whole_runs(run, clock):
    """These are the seconds of whole runs. A sample is seconds per call: divide by the number."""
    return _collector_off(run, clock, whole=True)
