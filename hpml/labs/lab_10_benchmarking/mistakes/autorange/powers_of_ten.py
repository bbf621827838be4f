"""It tries 1, 10, 100, as Python did before 3.6: the last run may then last ten times too long."""

LIKE = "doubles"
CHANGES = {"number * 2": "number * 10"}
