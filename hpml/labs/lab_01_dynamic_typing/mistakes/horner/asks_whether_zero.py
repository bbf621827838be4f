"""It asks a number whether it is zero. An array or a tensor of several numbers has no answer to that,
and this type of number has none either: it knows + and *, and that is all you may ask of it."""


def horner(coefficients, x):
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * x + coefficient if value else coefficient
    return value
