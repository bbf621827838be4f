import math
from fractions import Fraction


def samples_needed(p, error):
    p, error = Fraction(str(p)), Fraction(str(error))
    return max(1, math.ceil(p * (1 - p) / error**2))
