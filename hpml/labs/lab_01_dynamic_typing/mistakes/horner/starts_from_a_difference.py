"""`x - x` asks for more than + and *: this type of number knows no minus. Start from something that
was given to you."""


def horner(coefficients, x):
    value = x - x
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
