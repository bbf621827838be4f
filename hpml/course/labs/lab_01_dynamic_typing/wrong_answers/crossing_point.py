"""Wrong answers to `crossing_point`: each docstring is the diagnosis."""

import math


def forgets_b(overhead, per_item_a, per_item_b):
    """You computed when A has taken as long as the overhead alone. Meanwhile B takes time for each
    item too."""
    return overhead / per_item_a


def negative_number(overhead, per_item_a, per_item_b):
    """Your formula is right where the lines cross. If B is no faster for each item, they never
    cross: the answer is then not a negative number, and you must not divide by zero."""
    return overhead / (per_item_a - per_item_b)


def upside_down(overhead, per_item_a, per_item_b):
    """Your formula is upside down: the larger the overhead, the later B pays."""
    return (per_item_a - per_item_b) / overhead


def whole_items(overhead, per_item_a, per_item_b):
    """Your result is rounded to a whole number of items. Return a float: the point where the lines
    cross."""
    if per_item_a <= per_item_b:
        return math.inf
    return math.ceil(overhead / (per_item_a - per_item_b))


def negative_if_slower(overhead, per_item_a, per_item_b):
    """You avoid dividing by zero. But where B takes longer for each item, the lines cross at a
    negative number of items: B never becomes faster. Test which of the two is smaller."""
    saved = per_item_a - per_item_b
    return overhead / saved if saved else math.inf
