"""You asked when A has used up the overhead alone. Meanwhile B takes its time for each item too."""


def crossing_point(overhead, per_item_a, per_item_b):
    return overhead / per_item_a
