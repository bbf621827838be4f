"""Your function brings a number of its own, an int such as the 0 it starts from, and this type of
number was never told what to do with an int. Start from something that was given to you."""


def horner(coefficients, x):
    value = 0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
