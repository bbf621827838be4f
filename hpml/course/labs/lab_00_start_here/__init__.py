"""Lab 00: how a lab works, and a first honest measurement."""
