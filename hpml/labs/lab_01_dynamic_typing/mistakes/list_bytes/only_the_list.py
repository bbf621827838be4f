"""That is the list with its pointers. They lead to ints, each an object of its own with a
reference count and a type; these bytes count too."""


def list_bytes(n):
    return 56 + 8 * n
