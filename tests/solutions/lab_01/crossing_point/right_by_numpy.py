import numpy as np


def crossing_point(overhead, per_item_a, per_item_b):
    if not per_item_a > per_item_b:
        return float("inf")
    return np.float64(overhead) / np.float64(per_item_a - per_item_b)
