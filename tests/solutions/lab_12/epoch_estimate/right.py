from statistics import fmean, median, stdev


def epoch_estimate(seconds, steps):
    limit = 1.5 * median(seconds[len(seconds) // 2 :])
    first = 0
    while seconds[first] > limit:
        first += 1
    steady = seconds[first:]
    mean = fmean(steady)
    half = 2 * stdev(steady) * steps * (1 / len(steady) + 1 / steps) ** 0.5
    return steps * mean, steps * mean - half, steps * mean + half
