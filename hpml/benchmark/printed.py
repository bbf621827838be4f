"""The gate before a number is printed or drawn: it decides which digits its interval supports.

Texts, labels and tables take each ratio from `value_or_interval` or `with_interval`. A ratio whose
interval is too wide is printed as its interval only, because no value in it is better than another.
"""

from __future__ import annotations

import math

from hpml.base.tables import readable

WIDEST = 1.5
"""Largest ratio of an interval's ends with which a single value is printed."""


def too_wide(low: float, high: float) -> bool:
    """Return whether an interval is too wide to print a single value.

    >>> too_wide(1.0, 1.4), too_wide(0.7, 5.1), too_wide(-1.0, 2.0)
    (False, True, True)
    """
    # Both ends below 0 is a narrow interval of a negative quantity.
    near, far = sorted((abs(low), abs(high)))
    return low * high <= 0 < far or not math.isfinite(far) or far > WIDEST * near


def value_or_interval(value: float, low: float, high: float, *, decided: bool = False) -> str:
    """Return the value, or the interval alone if it is too wide.

    With `decided` the value and the ends keep enough digits not to look like 1.

    >>> value_or_interval(1.65, 1.56, 1.73), value_or_interval(1.6, 0.7, 5.1)
    ('1.65', '0.70 to 5.1')
    """
    if too_wide(low, high):
        return interval(value, low, high, decided=decided)
    return digits(value, value, low, high, decided=decided)


def with_interval(value: float, low: float, high: float, *, decided: bool = False) -> str:
    """Return the value with its interval, or the interval alone if it is too wide.

    >>> with_interval(1.65, 1.56, 1.73), with_interval(54.0, 30.0, 102.0)
    ('1.65 (1.56 to 1.73)', '30 to 100')
    """
    ends = interval(value, low, high, decided=decided)
    if too_wide(low, high):
        return ends
    return f"{digits(value, value, low, high, decided=decided)} ({ends})"


def interval(value: float, low: float, high: float, *, decided: bool = False) -> str:
    """Return the two ends of an interval.

    >>> interval(2.0, 1.9, 2.1), interval(1.0, 0.0, float("inf"))
    ('1.90 to 2.10', 'unknown')
    """
    if math.isinf(low) or math.isinf(high):
        below = "unknown" if math.isinf(low) or low <= 0 else f"at least {readable(low)}"
        return below if math.isinf(high) else f"at most {readable(high)}"
    low_text, high_text = (digits(end, value, low, high, decided=decided) for end in (low, high))
    return f"{low_text} to {high_text}"


def digits(number: float, value: float, low: float, high: float, *, decided: bool = False) -> str:
    """Return a number with as many digits as the interval supports.

    >>> digits(18215.2, 18215.2, 15e3, 22e3), digits(1.004, 1.1, 1.004, 1.3, decided=True)
    ('18,000', '1.004')
    """
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    wide = math.log(high / low) / 2 if low > 0 else math.inf
    significant = 2 if wide >= 0.1 else 3
    # The ends of the interval get the value's decimals, which makes columns comparable.
    alone = too_wide(low, high)
    scale = number if alone or not value or not low <= number <= high else value
    decimals = significant - 1 - math.floor(math.log10(abs(scale)))
    while decided and number != 1 == round(number, decimals):
        decimals += 1  # "slower" does not stand beside "1.0 to 1.2"
    return f"{round(number, decimals):,.{max(decimals, 0)}f}"
