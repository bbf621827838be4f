"""It squares the number."""


def double(n):
    return n**2
