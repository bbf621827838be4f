"""The error shrinks with the root of the number of samples: it has to be squared."""

import math


def samples_needed(p: float, error: float) -> int:
    return max(1, math.ceil(p * (1 - p) / error))
