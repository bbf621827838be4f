"""100 is counted as well: `given` takes what is smaller than 100."""


def fewer_instructions(values):
    total = 0
    for value in values:
        if value > 0 and value <= 100:
            total += value * value * value
    return total
