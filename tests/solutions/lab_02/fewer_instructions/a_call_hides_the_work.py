def fewer_instructions(values):
    return sum([value**3 for value in values if value > 0 and value < 100])
