"""Your formula is right where the lines cross. If B is no faster for each item, they never do:
then the answer is neither a negative number nor a division by zero."""


def crossing_point(overhead, per_item_a, per_item_b):
    return overhead / (per_item_a - per_item_b)
