"""`value = coefficients[0]` makes no copy, only a second name for the caller's number. With ints
that does no harm; the `*=` and `+=` of a tensor or an array change the object itself, under both
names. `value = value * x + ...` makes a new one."""


def horner(coefficients, x):
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value *= x
        value += coefficient
    return value
