import math
import statistics


def is_faster(a, b):
    n = len(a)
    if n < 6:
        return "cannot tell"
    logs = [math.log(x) - math.log(y) for x, y in zip(a, b, strict=True)]
    middle, error = statistics.fmean(logs), statistics.stdev(logs) / math.sqrt(n)
    if abs(middle) <= (1.96 + 3.5 / n) * error:
        return "cannot tell"
    return "faster" if middle < 0 else "slower"
