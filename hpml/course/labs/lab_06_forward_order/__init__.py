"""Lab 06: running a network lazily, or in a precomputed order."""
