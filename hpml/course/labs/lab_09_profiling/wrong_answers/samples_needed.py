"""Wrong answers to `samples_needed`: each docstring is the diagnosis."""

import math


def no_sample(p, error):
    """Without a sample there is no share. At least one is needed, whatever p is."""
    return math.ceil(p * (1 - p) / error**2)


def one_more(p, error):
    """It adds one even to a whole number: p = 0.5 and error = 0.25 need 4 samples. Round up."""
    return int(p * (1 - p) / error**2) + 1


def rounded_down(p, error):
    """That is one sample too few: round up."""
    return int(p * (1 - p) / error**2)


def without_the_square(p, error):
    """The error shrinks with the square root of the number of samples: square the error."""
    return max(1, math.ceil(p * (1 - p) / error))


def worst_case(p, error):
    """That is the number for p = 0.5. A share near 0 or 1 varies less."""
    return max(1, math.ceil(0.25 / error**2))
