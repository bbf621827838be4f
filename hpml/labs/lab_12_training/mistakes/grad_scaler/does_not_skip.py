"""A step with an overflow is skipped: None in place of gradients. With zeros the optimiser takes a step all the same, by
its momentum and its weight decay."""

LIKE = "new_scale"
CHANGES = {
    "return None, scale / 2, 0": "return [g / scale if isfinite(g) else 0.0 for g in scaled], scale / 2, 0",
    "g / scale for g": "g / before for g",
}
