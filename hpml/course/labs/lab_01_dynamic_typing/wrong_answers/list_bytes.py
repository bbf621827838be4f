"""Wrong answers to `list_bytes`: each docstring is the diagnosis."""


def as_in_c(n):
    """That is what the numbers take in C or in a NumPy array. In a list, what do the eight bytes
    hold, and where is the number?"""
    return 8 * n


def floats(n):
    """You counted 24 bytes for each number. A float takes that many; an int has one more field."""
    return 56 + 8 * (n + n % 2) + 24 * n


def odd_pointers(n):
    """Right for even n. With an odd n the list has room for one pointer more than it needs."""
    return 56 + (8 + 28) * n


def only_the_list(n):
    """That is the list with its pointers. They point to ints, each an object of its own
    with a reference count and a type; these bytes count too."""
    return 56 + 8 * n


def without_the_header(n):
    """Pointers and ints are there; the list itself is missing. An empty list already takes some
    bytes."""
    return (8 + 28) * n
