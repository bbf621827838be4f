import math


def calls_to_break_even(compile_time, slow, fast):
    saved = slow - fast
    return math.ceil(compile_time / saved) if saved > 0 else math.inf
