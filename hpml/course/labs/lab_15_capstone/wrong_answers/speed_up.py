"""Wrong answers to `speed_up`: each docstring is the diagnosis."""

import math


def divides_by_zero(shares, factors):
    """If everything is free, no time is left to divide by. Then the answer is `math.inf`."""
    saved = sum(share - share / factors.get(name, 1) for name, share in shares.items())
    return 1 / (1 - saved)


def fixed_parts_alone(shares, factors):
    """That adds up the fixed parts alone. The other parts, and the time that belongs to no part, stay
    as they were: add both."""
    left = sum(shares[name] / factor for name, factor in factors.items())
    return 1 / left if left > 1e-9 else math.inf


def free_parts_are_all(shares, factors):
    """The shares need not sum to 1. If all parts are free, the time outside of them is left."""
    if all(factors.get(name) == math.inf for name in shares):
        return math.inf
    left = 1 - sum(share - share / factors.get(name, 1) for name, share in shares.items())
    return 1 / left if left > 1e-9 else math.inf


def exact_zero(shares, factors):
    """Shares such as 0.7, 0.2 and 0.1 do not add up to exactly 1: rounding leaves about 1e-16, which is
    no time. Compare what is left with 1e-9."""
    left = 1 - sum(shares.values())
    for name, share in shares.items():
        left += share / factors.get(name, 1)
    return 1 / left if left else math.inf


def forgets_the_rest(shares, factors):
    """The shares need not sum to 1. The time that belongs to no part stays as it was: add it."""
    left = sum(share / factors.get(name, 1) for name, share in shares.items())
    return 1 / left if left > 1e-9 else math.inf


def only_the_fixed(shares, factors):
    """That leaves out the parts that are not fixed. They take as long as before."""
    left = 1 - sum(shares.values())
    left += sum(shares[name] / factor for name, factor in factors.items())
    return 1 / left if left > 1e-9 else math.inf


def product(shares, factors):
    """Each factor holds for its own part only. The product applies them to the whole program."""
    return float(math.prod(factors.values()))


def the_new_time(shares, factors):
    """That is the new time, as a fraction of the old time. How many times as fast is the whole?"""
    saved = sum(share - share / factors.get(name, 1) for name, share in shares.items())
    return 1 - saved
