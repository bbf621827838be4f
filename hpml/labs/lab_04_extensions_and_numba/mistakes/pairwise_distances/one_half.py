"""Each pair is computed once, which saves half of the work. The distance belongs in both places."""

import math

import numba
import numpy as np


@numba.njit
def pairwise_distances(points):
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            total = 0.0
            for k in range(axes):
                total += (points[i, k] - points[j, k]) ** 2
            distances[i, j] = math.sqrt(total)
    return distances
