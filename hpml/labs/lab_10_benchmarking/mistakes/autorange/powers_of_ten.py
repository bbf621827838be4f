"""It tries 1, 10, 100, as Python did before 3.6: the last run may then last ten times too long."""

LIKE = "for_each_call"
CHANGES = {"(1, 2, 5)": "(1,)", "seconds / number": "seconds"}
