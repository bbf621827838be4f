"""That is one sample too few: round up."""


def samples_needed(p: float, error: float) -> int:
    return int(p * (1 - p) / error**2)
