"""Wrong answers to `double`."""


def squares(n):
    """It squares the number."""
    return n * n
