"""Lab 06: running a network lazily, or in an order computed before."""
