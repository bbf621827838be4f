SAYS = {
    "This is `given`.": "where the other function is",
    "The table says how many instructions each line executed.": "what the output shows",
    "In its list half of the values are between 0 and 100, a quarter are below and a quarter above.": (
        "what the list of the table is"
    ),
    "What is made once, outside of it, does not count.": "what is allowed",
    "For example, `fewer_instructions([3, -1, 2, 100])` is 35.": "an example",
}
EQUIVALENT = {"1: 1 → 0": "the cube of 0 adds nothing"}
INSIDE = range(1, 100)


def squares(values):
    """returns what `given` returns, the sum of the cubes of the values strictly between 0 and
    100."""
    total = 0
    for value in values:
        if value in INSIDE:
            total += value * value
    return total


BELOW = range(-(10**30), 100)


def with_all_below(values):
    """the values strictly between 0 and 100."""
    total = 0
    for value in values:
        if value in BELOW:
            total += value * value * value
    return total


UP_TO_100 = range(1, 101)


def with_100(values):
    """the values strictly between 0 and 100."""
    total = 0
    for value in values:
        if value in UP_TO_100:
            total += value * value * value
    return total


UP_TO_98 = range(1, 99)


def without_99(values):
    """the values strictly between 0 and 100."""
    total = 0
    for value in values:
        if value in UP_TO_98:
            total += value * value * value
    return total


FROM_2 = range(2, 100)


def without_1(values):
    """the values strictly between 0 and 100."""
    total = 0
    for value in values:
        if value in FROM_2:
            total += value * value * value
    return total


def each_value_once(values):
    """`fewer_instructions(values)` returns what `given` returns"""
    total = 0
    for value in {*values}:
        if value in INSIDE:
            total += value * value * value
    return total


def none_for_nothing(values):
    """`fewer_instructions(values)` returns what `given` returns"""
    total = 0
    for value in values:
        if value in INSIDE:
            total += value * value * value
    return total or None


def fetched_once(values):
    """Fetching each value once is not enough."""
    total = 0
    for value in values:
        if value > 0 and value < 100:
            total += value * value * value
    return total


def fetched_once_with_a_power(values):
    """On such a list it executes at most 56 percent of the instructions."""
    total = 0
    for value in values:
        if value > 0 and value < 100:
            total += value**3
    return total


def by_index(values):
    """On such a list it executes at most 56 percent of the instructions."""
    total = index = 0
    for _ in values:
        value = values[index]
        if value in INSIDE:
            total += value * value * value
        index += 1
    return total


def calls_range(values):
    """It calls nothing: no `range`, no `len`, no `sum`, no function of your own."""
    total = 0
    inside = range(1, 100)
    for value in values:
        if value in inside:
            total += value * value * value
    return total


def calls_sum(values):
    """no `range`, no `len`, no `sum`"""
    return sum(value * value * value for value in values if 0 < value < 100)


def _cube(value):
    return value * value * value


def calls_its_own(values):
    """no `sum`, no function of your own."""
    total = 0
    for value in values:
        if value in INSIDE:
            total += _cube(value)
    return total


def calls_a_method(values):
    """It calls nothing: no `range`, no `len`"""
    total = 0
    for value in values.copy():
        if value in INSIDE:
            total += value * value * value
    return total


def calls_once_for_an_empty_list(values):
    """It calls nothing: no `range`, no `len`"""
    if not values:
        return len(values)
    total = 0
    for value in values:
        if value in INSIDE:
            total += value * value * value
    return total


def with_a_comprehension(values):
    """It uses no comprehension, which in Python 3.11 is a function of its own."""
    total = 0
    for cube in [value * value * value for value in values if value in INSIDE]:
        total += cube
    return total


def with_a_generator(values):
    """It uses no comprehension, which in Python 3.11 is a function of its own."""
    total = 0
    for cube in (value * value * value for value in values if value in INSIDE):
        total += cube
    return total
