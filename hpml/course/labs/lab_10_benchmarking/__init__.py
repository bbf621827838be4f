"""Lab 10: benchmarks, their noise, and honest claims."""
