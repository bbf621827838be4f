import numpy as np


def best_setting(table):
    names, times = list(table), np.array(list(table.values()))
    best = int(np.argmin(np.median(times, axis=1)))
    wins = (times[best] < times).sum(axis=1)
    rivals = [
        name for k, name in enumerate(names) if k != best and 4 * wins[k] < 3 * times.shape[1]
    ]
    return [names[best], tuple(rivals)]
