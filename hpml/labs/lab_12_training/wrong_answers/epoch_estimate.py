"""Wrong answers to `epoch_estimate`: each docstring is the diagnosis."""

import statistics


def _estimate(warm, steps, *, middle=statistics.mean, spread=statistics.stdev, root=0.5):
    half = 2 * spread(warm) / len(warm) ** root
    return steps * middle(warm), steps * (middle(warm) - half), steps * (middle(warm) + half)


def _limit(seconds):
    return 1.5 * statistics.median(seconds[len(seconds) // 2 :])


def _warm(seconds):
    while seconds[0] > _limit(seconds):
        seconds = seconds[1:]
    return seconds


def all_slow_steps(seconds, steps):
    """It drops every slow step, wherever it is. A slow step in the middle comes again in every epoch;
    only the steps at the beginning are warm-up."""
    return _estimate([each for each in seconds if each <= _limit(seconds)], steps)


def first_step_only(seconds, steps):
    """It drops the first step, whatever it took. A compiler may also slow the second and third one; and
    steps that were warm from the start are all measurements."""
    return _estimate(seconds[1:], steps)


def median(seconds, steps):
    """It multiplies the median step. A benchmark asks for the usual step; an epoch is the sum of all,
    and its slow steps are part of it: take the mean."""
    return _estimate(_warm(seconds), steps, middle=statistics.median)


def no_root(seconds, steps):
    """The interval is that of a single step. A mean of n steps is known better than one step: its
    standard error is the standard deviation divided by the root of n."""
    return _estimate(_warm(seconds), steps, root=0)


def nothing_dropped(seconds, steps):
    """The warm-up is still included: multiplied by all steps, one slow first step makes the epoch much
    too long."""
    return _estimate(seconds, steps)


def population(seconds, steps):
    """The deviation is a little too small: it divides by n, as for a whole population. These are a
    sample: `statistics.stdev` divides by n - 1."""
    return _estimate(_warm(seconds), steps, spread=statistics.pstdev)
