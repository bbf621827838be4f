"""The values are right, but there are too many multiplications: one for the next power and one
for the coefficient. Horner needs one for both: (2·x + 3)·x + 5."""


def horner(coefficients, x):
    value, power = coefficients[-1], x
    for coefficient in reversed(coefficients[:-1]):
        value = value + coefficient * power
        power = power * x
    return value
