"""Pointers and ints are there; the list itself is missing. An empty list already takes some
bytes."""


def list_bytes(n):
    return (8 + 28) * n
