"""A product saves a factor for the gradient of the *other* one. Where that needs no gradient, as a
choice does not, nothing is saved for it."""

LIKE = "counted_twice"
CHANGES = {
    "if first in needs:": "if True:",
    "if second in needs:": "if True:",
    "for name in saved": "for name in set(saved)",
}
