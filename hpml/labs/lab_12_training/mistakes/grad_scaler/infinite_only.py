"""It finds what is infinite, and lets pass what is no number. `nan` is what infinity minus infinity leaves, and it is
equal to nothing."""

LIKE = "new_scale"
CHANGES = {
    "not all(isfinite(g) for g in scaled)": "any(abs(g) == float('inf') for g in scaled)",
    "g / scale": "g / before",
}
