"""Wrong answers to `fewer_instructions`: each docstring is the diagnosis."""


def a_call_hides_the_work(values):
    """The function calls something. `sum`, `range` and `len` execute no bytecode of your function
    but do the work all the same, so the count no longer measures it. Write a loop without calls.
    In Python 3.11 a comprehension is a call as well."""
    return sum([value**3 for value in values if value > 0 and value < 100])


def border_counted(values):
    """100 is counted as well: `given` adds up only values below 100."""
    total = 0
    for value in values:
        if value > 0 and value <= 100:
            total += value * value * value
    return total


def returns_too_soon(values):
    """The `return` is inside the loop, so the function ends at the first value."""
    total = 0
    for value in values:
        if 0 < value < 100:
            total += value * value * value
        return total
    return total


def still_indexing(values):
    """The sum is right, but the loop executes too many instructions. Which of them only fetch
    again what is already known, or add nothing?"""
    total = 0
    index = 0
    for _ in values:
        if values[index] > 0 and values[index] < 100:
            total = total + values[index] * values[index] * values[index]
        index = index + 1
    return total
