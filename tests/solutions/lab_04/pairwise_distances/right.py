import math

import numba
import numpy as np


@numba.njit
def pairwise_distances(points):
    count = len(points)
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            total = 0.0
            for a, b in zip(points[i], points[j]):  # noqa: B905 - Numba knows no strict
                total += (a - b) ** 2
            distances[i, j] = math.sqrt(total)
    return distances
