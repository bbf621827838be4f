def horner(coefficients, x):
    value = 0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
