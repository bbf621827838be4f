"""Lab 09: profilers, and their overhead."""
