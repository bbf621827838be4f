"""Wrong answers to `fewer_instructions`: each docstring is the diagnosis."""


def a_call_hides_the_work(values):
    """The function calls something, or has a comprehension. `sum`, `range` and `len` execute no
    bytecode of your function but do the work all the same, so the count no longer measures it.
    Write a loop without calls."""
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


def each_value_fetched_once(values):
    """The sum is right, but in too many instructions. Three things cost most: to fetch a value more
    than once (write `for value in values`), to decide in two comparisons what one instruction can
    answer, and to compute anything for a value that does not count."""
    total = 0
    for value in values:
        if value > 0 and value < 100:
            total += value * value * value
    return total


def a_range_in_each_iteration(values):
    """The function calls `range` for each value, which hides what a call executes. Make the range
    once, outside of the function."""
    total = 0
    for value in values:
        if value in range(1, 100):
            total += value * value * value
    return total
