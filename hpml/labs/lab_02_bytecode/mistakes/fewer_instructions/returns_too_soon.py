"""The `return` stands inside the loop, so the function ends with the first value."""


def fewer_instructions(values):
    total = 0
    for value in values:
        if 0 < value < 100:
            total += value * value * value
        return total
    return total
