"""The coefficients are read the wrong way round: the first belongs to the highest power."""


def horner(coefficients, x):
    value = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value
