"""Lab 04: the same loop interpreted, compiled ahead of time, and compiled just in time."""
