"""Wrong answers to `autorange`: each docstring is the diagnosis."""

from itertools import count
from operator import ge, gt


def _tens():
    return (digit * 10**power for power in count() for digit in (1, 2, 5))


def _autorange(run, clock, *, numbers=None, enough=ge, start=None):
    for number in numbers or _tens():
        began = clock() if start is None else start
        run(number)
        seconds = clock() - began
        if enough(seconds, 0.2):
            return number, seconds
    return None


def clock_from_zero(run, clock):
    """A clock shows some number of seconds, not zero, when it is first read. Take the difference of two
    readings."""
    return _autorange(run, clock, start=0)


def doubles(run, clock):
    """It tries 1, 2, 4, 8. The task asks for 1, 2, 5, 10, 20, 50, and so on."""
    return _autorange(run, clock, numbers=(2**power for power in count()))


def for_each_call(run, clock):
    """It returns seconds per call. The task asks for the seconds of the whole run; the caller may
    divide."""
    number, seconds = _autorange(run, clock)
    return number, seconds / number


def reads_again(run, clock):
    """The time that is compared with 0.2 and the time that is returned are two readings of the clock.
    A real clock has moved on in between. Read it once after each run, and keep the difference."""
    for number in _tens():
        start = clock()
        run(number)
        if clock() - start >= 0.2:
            return number, clock() - start
    return None


def since_the_beginning(run, clock):
    """The clock is read only once before all runs. So the time of all runs counts, not that of
    the last one."""
    return _autorange(run, clock, start=clock())


def strictly_longer(run, clock):
    """A run of exactly 0.2 seconds is long enough: at least 0.2, so `>=`."""
    return _autorange(run, clock, enough=gt)
