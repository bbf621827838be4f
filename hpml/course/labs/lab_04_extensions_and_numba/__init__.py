"""Lab 04: one loop interpreted, compiled ahead of time, and compiled just in time."""
