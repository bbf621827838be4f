"""Lab 01: types that are known only when a program runs, and what that costs."""
