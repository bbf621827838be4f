INSIDE = range(1, 100)


def fewer_instructions(values):
    total = 0
    for value in values:
        if value in INSIDE:
            total += value * value * value
    return total
