"""Wrong answers to `epoch_estimate`: each docstring is the diagnosis."""

import statistics


def _estimate(warm, steps, *, middle=statistics.mean, spread=statistics.stdev, share=None):
    share = 1 / len(warm) + 1 / steps if share is None else share
    half = 2 * spread(warm) * steps * share**0.5
    return steps * middle(warm), steps * middle(warm) - half, steps * middle(warm) + half


def _limit(seconds, middle=statistics.median):
    return 1.5 * middle(seconds[len(seconds) // 2 :])


def _warm(seconds, limit=None):
    limit = _limit(seconds) if limit is None else limit
    return seconds[next(place for place, each in enumerate(seconds) if each <= limit) :]


def all_slow_steps(seconds, steps):
    """It drops every slow step, wherever it is. Slow steps in the middle occur in every epoch; only
    the steps at the beginning are warm-up."""
    return _estimate([each for each in seconds if each <= _limit(seconds)], steps)


def first_step_only(seconds, steps):
    """It drops the first step, however long it took. A compiler may also slow the second and third
    step. And if the first step is not slow, it is not warm-up: keep it."""
    return _estimate(seconds[1:], steps)


def limit_from_all_steps(seconds, steps):
    """It compares with the median of all steps, and slow steps at the beginning raise that. The task
    asks for the median of the second half."""
    return _estimate(_warm(seconds, 1.5 * statistics.median(seconds)), steps)


def limit_from_a_mean(seconds, steps):
    """It compares with the mean of the second half, and one slow step raises that. The task asks for
    the median."""
    return _estimate(_warm(seconds, _limit(seconds, statistics.mean)), steps)


def median(seconds, steps):
    """It multiplies the median step. A benchmark asks for the typical step. An epoch is the sum of
    all steps, slow ones too: take the mean."""
    return _estimate(_warm(seconds), steps, middle=statistics.median)


def of_the_mean(seconds, steps):
    """That is an interval for the mean of many epochs. A single epoch scatters around the mean as well:
    add 1 / steps under the root."""
    warm = _warm(seconds)
    return _estimate(warm, steps, share=1 / len(warm))


def of_one_step(seconds, steps):
    """The interval is that of a single step. The errors of many steps partly cancel in their sum;
    the factor with the root expresses that."""
    return _estimate(_warm(seconds), steps, share=1)


def nothing_dropped(seconds, steps):
    """The warm-up is still included: multiplied by all steps, one slow first step makes the epoch much
    too long."""
    return _estimate(seconds, steps)


def population(seconds, steps):
    """The standard deviation is a little too small: it divides by n, as for a whole population. The
    steps are a sample: `statistics.stdev` divides by n - 1."""
    return _estimate(_warm(seconds), steps, spread=statistics.pstdev)
