"""A number lies between two neighbours, and rounding takes the nearer one. So it is moved by half of the spacing at
most."""

LIKE = "range_only"
CHANGES = {"rounding = 0": "rounding = spacing * (len(values) if added else 1)"}
