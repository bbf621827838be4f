"""That is one sample too few: round up."""


def samples_needed(p: float, error: float) -> int:
    return max(1, int(p * (1 - p) / error**2))
