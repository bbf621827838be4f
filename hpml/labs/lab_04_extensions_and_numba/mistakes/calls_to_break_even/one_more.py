"""Where the times meet exactly at a whole number, that number is asked for, and not the next."""


def calls_to_break_even(compile_time, slow, fast):
    if fast >= slow:
        return float("inf")
    return int(compile_time / (slow - fast)) + 1
