"""Lab 10: benchmarks, their noise, and what may be said of it."""
