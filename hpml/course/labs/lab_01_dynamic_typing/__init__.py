"""Lab 01: dynamic typing and its cost."""
