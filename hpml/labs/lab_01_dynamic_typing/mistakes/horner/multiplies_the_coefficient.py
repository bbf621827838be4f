"""It multiplies the coefficient by x. What is multiplied is all that has been added up so far; the
next coefficient is then added as it is."""


def horner(coefficients, x):
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value + x * coefficient
    return value
