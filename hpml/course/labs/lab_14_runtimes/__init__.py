"""Lab 14: other runtimes, integer networks, and loop-invariant values."""
