import math


def crossing_point(overhead, per_item_a, per_item_b):
    if per_item_a <= per_item_b:
        return math.inf
    return math.ceil(overhead / (per_item_a - per_item_b))
