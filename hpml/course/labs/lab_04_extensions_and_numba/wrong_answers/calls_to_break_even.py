"""Wrong answers to `calls_to_break_even`: each docstring is the diagnosis."""

import math


def forgets_fast(compile_time, slow, fast):
    """The compiled calls take time too. What a call saves is the difference of `slow` and `fast`."""
    if fast >= slow:
        return math.inf
    return math.ceil(compile_time / slow)


def never_forgotten(compile_time, slow, fast):
    """If a compiled call takes as long as before, or longer, compiling never pays. Then the answer
    is infinity, not a negative number or a division by zero."""
    return math.ceil(compile_time / (slow - fast))


def not_whole(compile_time, slow, fast):
    """That is where the lines cross. The number of calls is an int: return the first whole number
    from there on."""
    if fast >= slow:
        return float("inf")
    return compile_time / (slow - fast)


def one_more(compile_time, slow, fast):
    """Where the times are equal exactly at a whole number, return that number and not the
    next."""
    if fast >= slow:
        return float("inf")
    return int(compile_time / (slow - fast)) + 1


def rounds_down(compile_time, slow, fast):
    """Rounded down, the last call is missing: at that number of calls compiling has not paid
    yet."""
    if fast >= slow:
        return float("inf")
    return int(compile_time / (slow - fast))


def negative_if_slower(compile_time, slow, fast):
    """You avoid dividing by zero. But where a compiled call takes longer, the number of calls is
    negative: compiling never pays. Test which of the two is smaller."""
    return math.inf if slow == fast else math.ceil(compile_time / (slow - fast))
