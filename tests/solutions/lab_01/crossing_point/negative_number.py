def crossing_point(overhead, per_item_a, per_item_b):
    return overhead / (per_item_a - per_item_b)
