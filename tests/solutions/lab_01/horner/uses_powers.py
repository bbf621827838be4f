def horner(coefficients, x):
    last = len(coefficients) - 1
    value = coefficients[last]
    for place in range(last):
        value = coefficients[place] * x ** (last - place) + value
    return value
