"""Something is called. `sum`, `range` and `len` execute no bytecode of yours, but the work is
done all the same, and the count no longer says how much: write it without. A comprehension is a
call as well, in Python 3.11: write the loop out."""


def fewer_instructions(values):
    return sum([value**3 for value in values if value > 0 and value < 100])
