"""Added up, numbers are rounded again at each addition: a hundred values, a hundred times half of the spacing."""

LIKE = "range_only"
CHANGES = {"rounding = 0": "rounding = spacing / 2"}
