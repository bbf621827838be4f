"""It is upside down: the larger the overhead, the later B pays."""


def crossing_point(overhead, per_item_a, per_item_b):
    return (per_item_a - per_item_b) / overhead
