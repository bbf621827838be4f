import math


def samples_needed(p, error):
    return int(max(1.0, math.ceil((math.sqrt(p - p * p) / error) ** 2)))
