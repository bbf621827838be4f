"""That is the number for p = 0.5. A share near 0 or 1 varies less."""

import math


def samples_needed(p: float, error: float) -> int:
    return max(1, math.ceil(0.25 / error**2))
