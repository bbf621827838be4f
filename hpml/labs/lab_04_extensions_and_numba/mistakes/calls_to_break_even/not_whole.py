"""That is where the lines cross. Calls are whole: the first whole number from there on is asked
for, as an `int`."""


def calls_to_break_even(compile_time, slow, fast):
    if fast >= slow:
        return float("inf")
    return compile_time / (slow - fast)
