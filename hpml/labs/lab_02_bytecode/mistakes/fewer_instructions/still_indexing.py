"""The sum is right, the way is too long. Count what one turn of the loop executes: which
instructions only fetch again what is already known, or add nothing?"""


def fewer_instructions(values):
    total = 0
    index = 0
    for _ in values:
        if values[index] > 0 and values[index] < 100:
            total = total + values[index] * values[index] * values[index]
        index = index + 1
    return total
