def horner(coefficients, x):
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value *= x
        value += coefficient
    return value
