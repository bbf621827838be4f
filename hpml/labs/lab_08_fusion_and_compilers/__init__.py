"""Lab 08: fusing loops, and the compilers that do it."""
