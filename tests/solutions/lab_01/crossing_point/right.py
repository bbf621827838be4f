import math


def crossing_point(overhead, per_item_a, per_item_b):
    saved = per_item_a - per_item_b
    return overhead / saved if saved > 0 else math.inf
