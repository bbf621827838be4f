"""It tries 1, 2, 4, 8: a round number reads better. Asked for are 1, 2, 5, 10, 20, 50, and so on."""

LIKE = "for_each_call"
CHANGES = {"(1, 2, 5)": "(1,)", "power *= 10": "power *= 2", "seconds / number": "seconds"}
