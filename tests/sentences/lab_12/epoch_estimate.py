import itertools
import math
import statistics

SAYS: dict[str, str] = {
    "Write `epoch_estimate(seconds, steps)`.": "the name and the parameters, as in the stub",
    "It covers about 95 % if steps are many": "a property of the formula",
    "The term 1/n is there because n steps show": "the reason for a part of the formula",
    "For `[9.0, 1.0, 1.0, 1.0, 1.0, 1.0]` and 100 steps": "an example: a slow first step is a case",
}


def _limit(seconds):
    return 1.5 * statistics.median(seconds[len(seconds) // 2 :])


def _warm(seconds):
    return list(itertools.dropwhile(lambda each: each > _limit(seconds), seconds))


def _estimate(warm, steps, mean=statistics.fmean, spread=statistics.stdev, wide=2.0):
    half = wide * spread(warm) * steps * math.sqrt(1 / len(warm) + 1 / steps)
    middle = steps * mean(warm)
    return middle, middle - half, middle + half


def drops_from_the_callers_list(seconds, steps):
    """`seconds` lists the times of the first steps, at least six, in order."""
    limit = _limit(seconds)
    while seconds[0] > limit:
        del seconds[0]
    return _estimate(seconds, steps)


def ten_steps_at_least(seconds, steps):
    """`seconds` lists the times of the first steps, at least six, in order."""
    return _estimate(_warm(seconds)[: max(0, len(seconds) - 4)], steps)


def sorts_them(seconds, steps):
    """`seconds` lists the times of the first steps, at least six, in order."""
    return _estimate(_warm(sorted(seconds, reverse=True)), steps)


def estimate_last(seconds, steps):
    """as a triple (tuple or list): estimate, low, high"""
    middle, low, high = _estimate(_warm(seconds), steps)
    return low, middle, high


def estimate_and_half(seconds, steps):
    """as a triple (tuple or list): estimate, low, high"""
    middle, _, high = _estimate(_warm(seconds), steps)
    return middle, high - middle


def estimate_only(seconds, steps):
    """as a triple (tuple or list): estimate, low, high"""
    return _estimate(_warm(seconds), steps)[0]


def milliseconds(seconds, steps):
    """It returns the seconds of a later epoch of `steps` steps"""
    return tuple(1000 * each for each in _estimate(_warm(seconds), steps))


def rounded(seconds, steps):
    """It returns the seconds of a later epoch of `steps` steps"""
    return tuple(round(each, 4) for each in _estimate(_warm(seconds), steps))


def the_first_epoch(seconds, steps):
    """It returns the seconds of a later epoch of `steps` steps"""
    extra = sum(seconds) - sum(_warm(seconds))
    return tuple(each + extra for each in _estimate(_warm(seconds), steps))


def all_steps_show_it(seconds, steps):
    """The second half, `seconds[len(seconds) // 2:]`, shows the steady state."""
    limit = 1.5 * statistics.median(seconds)
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def the_first_half_shows_it(seconds, steps):
    """The second half, `seconds[len(seconds) // 2:]`, shows the steady state."""
    limit = 1.5 * statistics.median(seconds[: len(seconds) // 2])
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def without_the_middle_one(seconds, steps):
    """The second half, `seconds[len(seconds) // 2:]`, shows the steady state."""
    limit = 1.5 * statistics.median(seconds[(len(seconds) + 1) // 2 :])
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def the_last_three_show_it(seconds, steps):
    """The second half, `seconds[len(seconds) // 2:]`, shows the steady state."""
    limit = 1.5 * statistics.median(seconds[-3:])
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def by_the_mean(seconds, steps):
    """each takes more than 1.5 times the second half's median"""
    limit = 1.5 * statistics.fmean(seconds[len(seconds) // 2 :])
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def by_the_lower_median(seconds, steps):
    """each takes more than 1.5 times the second half's median"""
    limit = 1.5 * statistics.median_low(seconds[len(seconds) // 2 :])
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def by_the_upper_median(seconds, steps):
    """each takes more than 1.5 times the second half's median"""
    limit = 1.5 * statistics.median_high(seconds[len(seconds) // 2 :])
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def twice_the_median(seconds, steps):
    """each takes more than 1.5 times the second half's median"""
    limit = _limit(seconds) / 0.75
    return _estimate(list(itertools.dropwhile(lambda each: each > limit, seconds)), steps)


def at_least_the_limit(seconds, steps):
    """each takes more than 1.5 times the second half's median"""
    limit = _limit(seconds)
    return _estimate(list(itertools.dropwhile(lambda each: each >= limit, seconds)), steps)


def a_new_limit_each_time(seconds, steps):
    """each takes more than 1.5 times the second half's median"""
    kept = list(seconds)
    while kept[0] > _limit(kept):
        del kept[0]
    return _estimate(kept, steps)


def nothing_dropped(seconds, steps):
    """Drop them."""
    return _estimate(seconds, steps)


def first_half_at_most(seconds, steps):
    """Drop them."""
    most = len(seconds) // 2
    return _estimate(seconds[min(most, len(seconds) - len(_warm(seconds))) :], steps)


def first_only(seconds, steps):
    """Drop them."""
    return _estimate(seconds[seconds[0] > _limit(seconds) :], steps)


def three_at_most(seconds, steps):
    """Drop them."""
    return _estimate(seconds[min(3, len(seconds) - len(_warm(seconds))) :], steps)


def counted_as_0(seconds, steps):
    """Drop them."""
    warm = _warm(seconds)
    return _estimate([0.0] * (len(seconds) - len(warm)) + warm, steps)


def all_slow_steps(seconds, steps):
    """keep it and all that follow, slow ones too"""
    limit = _limit(seconds)
    return _estimate([each for each in seconds if each <= limit], steps)


def up_to_the_last_slow_step_of_the_first_half(seconds, steps):
    """keep it and all that follow, slow ones too"""
    half, limit = len(seconds) // 2, _limit(seconds)
    slow = [place for place, each in enumerate(seconds) if each > limit]
    first = max((place for place in slow if place < half), default=-1) + 1
    return _estimate(seconds[first:] if first < half else _warm(seconds), steps)


def the_ending_one_too(seconds, steps):
    """keep it and all that follow, slow ones too"""
    warm = _warm(seconds)
    return _estimate(warm[1:] if len(warm) < len(seconds) and len(warm) > 2 else warm, steps)


def without_slow_ones_at_the_end(seconds, steps):
    """keep it and all that follow, slow ones too"""
    limit, warm = _limit(seconds), _warm(seconds)
    while warm[-1] > limit:
        del warm[-1]
    return _estimate(warm, steps)


def median_step(seconds, steps):
    """The estimate is the mean of the kept steps, times `steps`."""
    return _estimate(_warm(seconds), steps, mean=statistics.median)


def mean_step(seconds, steps):
    """The estimate is the mean of the kept steps, times `steps`."""
    return tuple(each / steps for each in _estimate(_warm(seconds), steps))


def kept_steps_are_part_of_it(seconds, steps):
    """The estimate is the mean of the kept steps, times `steps`."""
    warm = _warm(seconds)
    middle, low, high = _estimate(warm, steps)
    more = sum(warm) / len(warm)
    return middle + more, low + more, high + more


def without_the_slowest(seconds, steps):
    """An epoch is a sum, and slow steps are part of it."""
    warm = sorted(_warm(seconds))
    return _estimate(warm[:-1] if len(warm) > 2 else warm, steps)


def steps_count_at_most_as_the_limit(seconds, steps):
    """An epoch is a sum, and slow steps are part of it."""
    limit = _limit(seconds)
    return _estimate([min(each, limit) for each in _warm(seconds)], steps)


def of_the_mean(seconds, steps):
    """Low and high are the ends of a **prediction interval** for one epoch"""
    warm = _warm(seconds)
    half = 2 * statistics.stdev(warm) * steps / math.sqrt(len(warm))
    middle = steps * statistics.fmean(warm)
    return middle, middle - half, middle + half


def of_the_epoch_alone(seconds, steps):
    """Low and high are the ends of a **prediction interval** for one epoch"""
    warm = _warm(seconds)
    half = 2 * statistics.stdev(warm) * math.sqrt(steps)
    middle = steps * statistics.fmean(warm)
    return middle, middle - half, middle + half


def one_standard_deviation(seconds, steps):
    """Low and high are the ends of a **prediction interval** for one epoch"""
    return _estimate(_warm(seconds), steps, wide=1.0)


def the_normal_quantile(seconds, steps):
    """Low and high are the ends of a **prediction interval** for one epoch"""
    return _estimate(_warm(seconds), steps, wide=1.96)


def never_below_0(seconds, steps):
    """Low and high are the ends of a **prediction interval** for one epoch"""
    middle, low, high = _estimate(_warm(seconds), steps)
    return middle, max(0.0, low), high


def two_roots(seconds, steps):
    """Low and high are the ends of a **prediction interval** for one epoch"""
    warm = _warm(seconds)
    roots = math.sqrt(1 / len(warm)) + math.sqrt(1 / steps)
    half = 2 * statistics.stdev(warm) * steps * roots
    middle = steps * statistics.fmean(warm)
    return middle, middle - half, middle + half


def of_a_population(seconds, steps):
    """Here n is the number of kept steps and s their standard deviation"""
    return _estimate(_warm(seconds), steps, spread=statistics.pstdev)


def of_all_steps(seconds, steps):
    """Here n is the number of kept steps and s their standard deviation"""
    return _estimate(_warm(seconds), steps, spread=lambda warm: statistics.stdev(seconds))


def number_of_all_steps(seconds, steps):
    """Here n is the number of kept steps and s their standard deviation"""
    warm = _warm(seconds)
    half = 2 * statistics.stdev(warm) * steps * math.sqrt(1 / len(seconds) + 1 / steps)
    middle = steps * statistics.fmean(warm)
    return middle, middle - half, middle + half


def the_variance(seconds, steps):
    """Here n is the number of kept steps and s their standard deviation"""
    return _estimate(_warm(seconds), steps, spread=statistics.variance)


def _torch():
    import torch

    return torch


def forbidden_torch(seconds, steps):
    """and `numpy`, but not"""
    warm = _torch().tensor(_warm(seconds), dtype=_torch().float64)
    return _estimate(warm, steps, lambda each: float(each.mean()), lambda each: float(each.std()))
