def horner(coefficients, x):
    first, *others = coefficients
    value = first
    for coefficient in others:
        value = value * x + coefficient
    return value
