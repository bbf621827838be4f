"""Wrong answers to `horner`: each docstring is the diagnosis."""


def in_place(coefficients, x):
    """`value = coefficients[0]` makes no copy, only a second name for the caller's number. With
    ints that does no harm; the `*=` and `+=` of a tensor or an array change the object itself,
    under both names. `value = value * x + ...` makes a new one."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value *= x
        value += coefficient
    return value


def lowest_first(coefficients, x):
    """The coefficients are read the wrong way round: the first belongs to the highest power."""
    value = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


def powers_by_hand(coefficients, x):
    """The values are right, but there are too many multiplications: one for the next power and one
    for the coefficient. Horner needs one for both: (2·x + 3)·x + 5."""
    value, power = coefficients[-1], x
    for coefficient in reversed(coefficients[:-1]):
        value = value + coefficient * power
        power = power * x
    return value


def starts_from_a_float(coefficients, x):
    """It starts from 0.0, so ints and fractions become floats. Start from one of the arguments."""
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def starts_from_zero(coefficients, x):
    """Your function uses a number of its own, an int such as the 0 it starts from. This type cannot
    be combined with an int. Start from one of the arguments."""
    value = 0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
