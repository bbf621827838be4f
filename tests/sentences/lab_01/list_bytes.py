import sys

SAYS = {
    "For example, `list_bytes(2)` is 128.": "an example; the cases have n = 2",
    "Write `list_bytes(n)`.": "the name",
    "Find the numbers that you need in another cell": "advice; a number in the function is right too",
}

EMPTY = sys.getsizeof([])
POINTER = sys.getsizeof([None]) - EMPTY
INT = sys.getsizeof(257)


def without_the_ints(n):
    """It returns the bytes of `list(range(257, 257 + n))`: those of the list plus those of its
    `n` ints, as `sys.getsizeof` reports them."""
    return EMPTY + POINTER * (n + n % 2)


def ints_of_another_list(n):
    """It returns the bytes of `list(range(257, 257 + n))`"""
    return EMPTY + POINTER * (n + n % 2) + sum(_size(k) for k in range(n))


def _size(k):
    return INT - 4 if k == 0 else INT


def one_entry_for_each(n):
    """A list made this way has room for an even number of addresses: one more than it needs if
    `n` is odd."""
    return EMPTY + (POINTER + INT) * n


def one_more_for_all(n):
    """one more than it needs if `n` is odd."""
    return EMPTY + (POINTER + INT) * n + POINTER


def values_of_eight_bytes(n):
    """as `sys.getsizeof` reports them."""
    return EMPTY + POINTER * (n + n % 2) + 24 * n


def forbidden_measured(n):
    """Your function predicts the size."""
    values = list(range(257, 257 + n))
    return sys.getsizeof(values) + sum(map(sys.getsizeof, values))


def forbidden_constant(n):
    """No function may use `getsizeof`"""
    return sys.getsizeof([]) + POINTER * (n + n % 2) + INT * n


def short_lists_only(n):
    """A list made this way has room for an even number of addresses"""
    return EMPTY + POINTER * (n + n % 2 + n // 50_000) + INT * n
