"""That adds one to a whole number too: p = 0.5 and error = 0.25 need 4 samples. Round up."""


def samples_needed(p: float, error: float) -> int:
    return int(p * (1 - p) / error**2) + 1
