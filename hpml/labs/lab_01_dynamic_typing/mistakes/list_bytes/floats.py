"""You counted 24 bytes for each number. That is a float; an int has one field more."""


def list_bytes(n):
    return 56 + 8 * (n + n % 2) + 24 * n
