"""These are the squares of the distances. The root is missing."""

import numba
import numpy as np


@numba.njit
def pairwise_distances(points):
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            total = 0.0
            for k in range(axes):
                total += (points[i, k] - points[j, k]) ** 2
            distances[i, j] = total
    return distances
