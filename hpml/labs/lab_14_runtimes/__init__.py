"""Lab 14: other runtimes, integers, and what a loop need not compute again."""
