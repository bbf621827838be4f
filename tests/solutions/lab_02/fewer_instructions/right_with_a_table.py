CUBES = {value: value**3 for value in range(1, 100)}


def fewer_instructions(values):
    total = 0
    for value in values:
        if value in CUBES:
            total += CUBES[value]
    return total
