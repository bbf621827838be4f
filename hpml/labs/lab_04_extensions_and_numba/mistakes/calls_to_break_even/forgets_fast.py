"""The compiled calls take time too. What a call saves is the difference of both."""

import math


def calls_to_break_even(compile_time, slow, fast):
    if fast >= slow:
        return math.inf
    return math.ceil(compile_time / slow)
