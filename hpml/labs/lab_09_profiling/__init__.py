"""Lab 09: where the time goes, and what asking costs."""
