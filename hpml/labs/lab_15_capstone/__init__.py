"""Lab 15: a slow training script of one's own, fixed fault by fault and measured each time."""
