SAYS = {}


def _value(coefficients, x):
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return value


def only_the_last_step(coefficients, x):
    """`horner(coefficients, x)` returns the value of a polynomial at `x`."""
    return _value(coefficients[-2:], x)


def lowest_power_first(coefficients, x):
    """The coefficients come with the highest power first; there is at least one."""
    return _value(coefficients[::-1], x)


def two_or_more(coefficients, x):
    """there is at least one."""
    value = coefficients[0] * x + coefficients[1]
    for coefficient in coefficients[2:]:
        value = value * x + coefficient
    return value


def the_parentheses_elsewhere(coefficients, x):
    """2x² + 3x + 5 is (2·x + 3)·x + 5, so `horner([2, 3, 5], 10)` is 235."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = (value + coefficient) * x
    return value


def begins_with_zero(coefficients, x):
    """It works for everything that can be added and multiplied, even for a type whose `+` and `*`
    accept only its own kind."""
    value = 0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def of_floats(coefficients, x):
    """It works for everything that can be added and multiplied"""
    return _value([each if hasattr(each, "_") else each * 1.0 for each in coefficients], x)


def with_powers(coefficients, x):
    """even for a type whose `+` and `*` accept only its own kind."""
    highest = len(coefficients) - 1
    total = coefficients[-1]
    for place, coefficient in enumerate(coefficients[:-1]):
        total = total + coefficient * x ** (highest - place)
    return total


def forbidden_types(coefficients, x):
    """So it does not look at types, adds no number of its own, and never tests whether a number
    is zero."""
    start = 0 if isinstance(x, int) else coefficients[0]
    return _value(coefficients, x) + start - start


def tries_a_number_first(coefficients, x):
    """adds no number of its own"""
    try:
        return _value([0, *coefficients], x)
    except TypeError:
        return _value(coefficients, x)


def skips_zeros_if_it_can(coefficients, x):
    """never tests whether a number is zero."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * x
        try:
            nothing = not coefficient
        except TypeError:
            nothing = False
        if not nothing:
            value = value + coefficient
    return value


def compares_with_zero(coefficients, x):
    """never tests whether a number is zero."""
    try:
        if x == 0:
            return coefficients[-1]
    except TypeError:
        pass
    return _value(coefficients, x)


def takes_them_off(coefficients, x):
    """It leaves the list of coefficients unchanged."""
    value = coefficients.pop(0)
    while coefficients:
        value = value * x + coefficients.pop(0)
    return value


def changes_the_first_number(coefficients, x):
    """It leaves the list of coefficients unchanged."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value *= x
        value += coefficient
    return value


def takes_the_last_one_off(coefficients, x):
    """It leaves the list of coefficients unchanged."""
    last = coefficients.pop()
    return _value(coefficients, x) * x + last if coefficients else last


def powers_beside_it(coefficients, x):
    """It multiplies at most once for each coefficient after the first."""
    value, power = coefficients[-1], x
    for coefficient in coefficients[-2::-1]:
        value = value + coefficient * power
        power = power * x
    return value


def one_product_too_many(coefficients, x):
    """It multiplies at most once for each coefficient after the first."""
    coefficients[0] * x
    return _value(coefficients, x)


def short_ones_by_powers(coefficients, x):
    """It multiplies at most once for each coefficient after the first."""
    if len(coefficients) == 3:
        return coefficients[0] * x * x + coefficients[1] * x + coefficients[2]
    return _value(coefficients, x)


def powers_where_there_are_any(coefficients, x):
    """It multiplies at most once for each coefficient after the first."""
    try:
        return with_powers(coefficients, x)
    except TypeError:
        return _value(coefficients, x)


def powers_of_ints(coefficients, x):
    """It multiplies at most once for each coefficient after the first."""
    return with_powers(coefficients, x) if hasattr(x, "bit_length") else _value(coefficients, x)
