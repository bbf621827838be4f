"""It adds with `+=`, which changes the gradient in place. A step may hand the same gradient to
two others, and then the other one changes too: write `a = a + b`.
"""

LIKE = "adds_in_place"
CHANGES = {
    "    for step in ready:\n": ("    while ready:\n        step = ready.pop()\n"),
}
