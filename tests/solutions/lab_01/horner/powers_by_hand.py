def horner(coefficients, x):
    value, power = coefficients[-1], x
    for coefficient in reversed(coefficients[:-1]):
        value = value + coefficient * power
        power = power * x
    return value
