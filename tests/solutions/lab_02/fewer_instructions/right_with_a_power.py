def fewer_instructions(values, inside=range(1, 100)):
    total = 0
    for value in values:
        if value in inside:
            total += value**3
    return total
