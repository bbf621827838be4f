import sys

EMPTY = sys.getsizeof([])
INT = sys.getsizeof(257)


def list_bytes(n):
    return EMPTY + 8 * (n + n % 2) + INT * n
