"""Lab 15: a slow training script, fixed fault by fault and measured after each fix."""
