import numpy as np


def epoch_estimate(seconds, steps):
    times = np.array(seconds)
    limit = 1.5 * np.median(times[len(times) // 2 :])
    kept = times[int(np.argmax(times <= limit)) :]
    half = 2 * kept.std(ddof=1) * np.sqrt(steps * (steps + len(kept)) / len(kept))
    middle = kept.mean() * steps
    return [middle, middle - half, middle + half]
