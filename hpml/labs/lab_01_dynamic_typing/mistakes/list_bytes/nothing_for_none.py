"""For n = 0 there are no ints and no pointers, but there is a list: an empty one takes some bytes too."""


def list_bytes(n):
    if n == 0:
        return 0
    return 56 + 8 * (n + n % 2) + 28 * n
