"""Wrong answers to `repeat`: each docstring is the diagnosis."""

import gc


def _timed(run, clock, number):
    start = clock()
    run(number)
    return clock() - start


def _samples(run, clock, number, *, whole=False):
    times = [_timed(run, clock, number) for _ in range(5)]
    return times if whole else [time / number for time in times]


def _collector_off(run, clock, number, **options):
    was_on = gc.isenabled()
    gc.disable()
    try:
        return _samples(run, clock, number, **options)
    finally:
        if was_on:
            gc.enable()


def always_on(run, clock, number):
    """It switches the collector on at the end, even if it was off before the call. Ask `gc.isenabled()`
    first."""
    gc.disable()
    try:
        return _samples(run, clock, number)
    finally:
        gc.enable()


def collector_forgotten(run, clock, number):
    """The collector was on during the runs: a collection may fall into any of them."""
    return _samples(run, clock, number)


def one_call_a_run(run, clock, number):
    """Each sample is one call. That is less than the clock can tell: let `run` execute `number`."""
    return _collector_off(run, clock, 1)


def not_after_an_error(run, clock, number):
    """After an error the collector stays off: what must happen in any case belongs in `finally`."""
    was_on = gc.isenabled()
    gc.disable()
    samples = _samples(run, clock, number)
    if was_on:
        gc.enable()
    return samples


def only_exceptions(run, clock, number):
    """An interrupt and the end of the program are no `Exception`: the collector stays off. Use `finally`."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        samples = _samples(run, clock, number)
    except Exception:
        if was_on:
            gc.enable()
        raise
    if was_on:
        gc.enable()
    return samples


def whole_runs(run, clock, number):
    """These are the seconds of whole runs. A sample is seconds per call: divide by the number."""
    return _collector_off(run, clock, number, whole=True)
