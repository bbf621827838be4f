def crossing_point(overhead, per_item_a, per_item_b):
    return (per_item_a - per_item_b) / overhead
