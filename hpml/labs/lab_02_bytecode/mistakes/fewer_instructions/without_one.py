"""`value > 1` leaves out the 1. It lies between 0 and 100 and counts, with its cube."""


def fewer_instructions(values):
    total = 0
    for value in values:
        if value > 1 and value < 100:
            total += value * value * value
    return total
