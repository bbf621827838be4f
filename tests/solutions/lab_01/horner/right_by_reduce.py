from functools import reduce


def horner(coefficients, x):
    return reduce(lambda value, coefficient: x * value + coefficient, coefficients)
