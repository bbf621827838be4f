import math

SAYS: dict[str, str] = {
    "`samples_needed(0.5, 0.05)` is 100.": "an example, which is a case",
}


def one_more(p, error):
    """returns the smallest number of samples"""
    return max(1, int(p * (1 - p) / error**2) + 1)


def one_too_few(p, error):
    """returns the smallest number of samples"""
    return max(1, int(p * (1 - p) / error**2))


def nearest(p, error):
    """returns the smallest number of samples"""
    return max(1, round(p * (1 - p) / error**2))


def rounded_before(p, error):
    """returns the smallest number of samples"""
    return max(1, math.ceil(round(p * (1 - p) / error**2, 6)))


def a_little_less(p, error):
    """returns the smallest number of samples"""
    return max(1, math.ceil(p * (1 - p) / error**2 - 1e-6))


def strictly_below(p, error):
    """that standard deviation is at most `error`"""
    return max(1, math.floor(p * (1 - p) / error**2) + 1)


def for_the_variance(p, error):
    """that standard deviation is at most `error`"""
    return max(1, math.ceil(p * (1 - p) / error))


def worst_case(p, error):
    """that standard deviation is at most `error`"""
    return max(1, math.ceil(0.25 / error**2))


def rare_shares(p, error):
    """that standard deviation is at most `error`"""
    return max(1, math.ceil(p / error**2))


def common_shares(p, error):
    """that standard deviation is at most `error`"""
    return max(1, math.ceil((1 - p) / error**2))


def a_million_at_most(p, error):
    """returns the smallest number of samples"""
    return min(10**6, max(1, math.ceil(p * (1 - p) / error**2)))


def powers_of_two(p, error):
    """returns the smallest number of samples"""
    number = 1
    while p * (1 - p) / number > error**2:
        number *= 2
    return number


def a_float(p, error):
    """It is an `int`, and at least one."""
    return float(max(1, math.ceil(p * (1 - p) / error**2)))


def none_without_a_share(p, error):
    """It is an `int`, and at least one."""
    return math.ceil(p * (1 - p) / error**2)


def none_at_certainty(p, error):
    """It is an `int`, and at least one."""
    return 0 if p == 1 else max(1, math.ceil(p * (1 - p) / error**2))


def two_at_least(p, error):
    """It is an `int`, and at least one."""
    return max(2, math.ceil(p * (1 - p) / error**2))


def fails_for_no_share(p, error):
    """It is an `int`, and at least one."""
    return math.ceil(max(1.0, 1 / (error**2 / (p * (1 - p)))))
