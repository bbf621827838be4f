"""Wrong answers to `fewer_instructions`: each docstring is the diagnosis."""


def a_call_hides_the_work(values):
    """Something is called. `sum`, `range` and `len` execute no bytecode of yours, but the work is
    done all the same, and the count no longer says how much: write it without. A comprehension is a
    call as well, in Python 3.11: write the loop out."""
    return sum([value**3 for value in values if value > 0 and value < 100])


def border_counted(values):
    """100 is counted as well: `given` takes what is smaller than 100."""
    total = 0
    for value in values:
        if value > 0 and value <= 100:
            total += value * value * value
    return total


def returns_too_soon(values):
    """The `return` stands inside the loop, so the function ends with the first value."""
    total = 0
    for value in values:
        if 0 < value < 100:
            total += value * value * value
        return total
    return total


def still_indexing(values):
    """The sum is right, the way is too long. Count what one turn of the loop executes: which
    instructions only fetch again what is already known, or add nothing?"""
    total = 0
    index = 0
    for _ in values:
        if values[index] > 0 and values[index] < 100:
            total = total + values[index] * values[index] * values[index]
        index = index + 1
    return total


def without_one(values):
    """`value > 1` leaves out the 1. It lies between 0 and 100 and counts, with its cube."""
    total = 0
    for value in values:
        if value > 1 and value < 100:
            total += value * value * value
    return total
