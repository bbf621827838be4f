"""`**` is one thing more than this type of number can do: it knows + and *, and that is all you
may ask of it. Horner's way needs no powers."""


def horner(coefficients, x):
    last = len(coefficients) - 1
    value = coefficients[last]
    for place in range(last):
        value = coefficients[place] * x ** (last - place) + value
    return value
