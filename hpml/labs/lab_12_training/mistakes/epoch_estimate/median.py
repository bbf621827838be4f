"""It multiplies the median step. A benchmark asks for the usual step; an epoch is the sum of all, and its slow steps are
part of it: take the mean."""

from statistics import median, stdev


def epoch_estimate(seconds, steps):
    limit = 1.5 * median(seconds[len(seconds) // 2 :])
    while seconds[0] > limit:
        seconds = seconds[1:]
    middle = median(seconds)
    half = 2 * stdev(seconds) / len(seconds) ** 0.5
    return steps * middle, steps * (middle - half), steps * (middle + half)
