import math


def samples_needed(p: float, error: float) -> int:
    return max(1, math.ceil(p * (1 - p) / error**2))
