"""Wrong answers to `epoch_estimate`: each docstring is the diagnosis."""

import itertools
import statistics


def _estimate(warm, steps, *, middle=statistics.mean, spread=statistics.stdev, single=True):
    half = 2 * spread(warm) * steps * (1 / len(warm) + single / steps) ** 0.5
    return steps * middle(warm), steps * middle(warm) - half, steps * middle(warm) + half


def _limit(seconds):
    return 1.5 * statistics.median(seconds[len(seconds) // 2 :])


def _warm(seconds):
    return list(itertools.dropwhile(lambda each: each > _limit(seconds), seconds))


def all_slow_steps(seconds, steps):
    """It drops every slow step, wherever it is. Slow steps in the middle occur in every epoch; only
    the steps at the beginning are warm-up."""
    return _estimate([each for each in seconds if each <= _limit(seconds)], steps)


def first_step_only(seconds, steps):
    """It drops the first step, however long it took. A compiler may also slow the second and third
    step. And if the first step is not slow, it is not warm-up: keep it."""
    return _estimate(seconds[1:], steps)


def median(seconds, steps):
    """It multiplies the median step. A benchmark asks for the typical step. An epoch is the sum of
    all steps, slow ones too: take the mean."""
    return _estimate(_warm(seconds), steps, middle=statistics.median)


def of_the_mean(seconds, steps):
    """That is an interval for the mean of many epochs. A single epoch scatters around the mean as well:
    add 1 / steps under the root."""
    return _estimate(_warm(seconds), steps, single=False)


def nothing_dropped(seconds, steps):
    """The warm-up is still included: multiplied by all steps, one slow first step makes the epoch much
    too long."""
    return _estimate(seconds, steps)


def population(seconds, steps):
    """The standard deviation is a little too small: it divides by n, as for a whole population. The
    steps are a sample: `statistics.stdev` divides by n - 1."""
    return _estimate(_warm(seconds), steps, spread=statistics.pstdev)
