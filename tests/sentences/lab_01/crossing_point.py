import math

SAYS = {
    "From how many items on is B faster?": "the question, which the next sentence makes exact",
    "No time is negative.": "a range of the arguments",
    "`crossing_point(300.0, 40.0, 10.0)` is 10.0.": "an example",
}


def _point(overhead, a, b):
    return overhead / (a - b) if a > b else math.inf


def a_takes_as_long_once(overhead, per_item_a, per_item_b):
    """Variant A takes `per_item_a` for each item."""
    return _point(max(0.0, overhead - per_item_a), per_item_a, per_item_b)


def without_the_time_of_b(overhead, per_item_a, per_item_b):
    """Variant B takes `overhead` once and `per_item_b` for each item."""
    return overhead / per_item_a if per_item_a > per_item_b else math.inf


def overhead_for_each_item(overhead, per_item_a, per_item_b):
    """Variant B takes `overhead` once"""
    return 0.0 if per_item_a > overhead + per_item_b else math.inf


def rounded_up(overhead, per_item_a, per_item_b):
    """returns the number of items, a float, at which both take equally long."""
    point = _point(overhead, per_item_a, per_item_b)
    return point if point == math.inf else float(math.ceil(point))


def rounded_to_four_digits(overhead, per_item_a, per_item_b):
    """the number of items, a float, at which both take equally long."""
    return round(_point(overhead, per_item_a, per_item_b), 4)


def at_least_one_item(overhead, per_item_a, per_item_b):
    """the number of items, a float, at which both take equally long."""
    return max(1.0, _point(overhead, per_item_a, per_item_b))


def numbers_near_zero_are_zero(overhead, per_item_a, per_item_b):
    """the number of items, a float, at which both take equally long."""
    return 0.0 if overhead < 1e-12 else _point(overhead, per_item_a, per_item_b)


def as_a_text(overhead, per_item_a, per_item_b):
    """returns the number of items, a float, at which"""
    return str(_point(overhead, per_item_a, per_item_b))


def an_int_where_it_is_whole(overhead, per_item_a, per_item_b):
    """the number of items, a float, at which both take equally long."""
    point = _point(overhead, per_item_a, per_item_b)
    return int(point) if point != math.inf and point == int(point) else point


def none_if_never(overhead, per_item_a, per_item_b):
    """It returns infinity, `float("inf")`, if B never becomes faster."""
    return _point(overhead, per_item_a, per_item_b) if per_item_a > per_item_b else None


def from_the_start_if_nothing_is_paid(overhead, per_item_a, per_item_b):
    """It returns infinity, `float("inf")`, if B never becomes faster."""
    return 0.0 if overhead == 0 else _point(overhead, per_item_a, per_item_b)


def equal_is_never_but_slower_is_negative(overhead, per_item_a, per_item_b):
    """if B never becomes faster."""
    saved = per_item_a - per_item_b
    return overhead / saved if saved else math.inf


def close_together_is_never(overhead, per_item_a, per_item_b):
    """if B never becomes faster."""
    if math.isclose(per_item_a, per_item_b):
        return math.inf
    return _point(overhead, per_item_a, per_item_b)


def a_small_gain_is_none(overhead, per_item_a, per_item_b):
    """if B never becomes faster."""
    if per_item_a - per_item_b < 1e-12:
        return math.inf
    return overhead / (per_item_a - per_item_b)


def minus_infinity(overhead, per_item_a, per_item_b):
    """It returns infinity, `float("inf")`"""
    return _point(overhead, per_item_a, per_item_b) if per_item_a > per_item_b else -math.inf
