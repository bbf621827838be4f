"""|p|² + |q|² - 2pq is the square of the distance on paper. For points that lie close together and
far from 0, two large numbers cancel, and few digits or none remain. Subtract first, then square."""

import math

import numba
import numpy as np


@numba.njit
def pairwise_distances(points):
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            left, right, both = 0.0, 0.0, 0.0
            for k in range(axes):
                left += points[i, k] ** 2
                right += points[j, k] ** 2
                both += points[i, k] * points[j, k]
            distances[i, j] = math.sqrt(max(left + right - 2 * both, 0.0))
    return distances
