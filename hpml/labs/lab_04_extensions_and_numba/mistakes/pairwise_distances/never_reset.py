"""The sum goes on from one pair of points to the next. Each pair begins at 0."""

import math

import numba
import numpy as np


@numba.njit
def pairwise_distances(points):
    count, axes = points.shape
    distances = np.zeros((count, count))
    total = 0.0
    for i in range(count):
        for j in range(count):
            for k in range(axes):
                total += (points[i, k] - points[j, k]) ** 2
            distances[i, j] = math.sqrt(total)
    return distances
