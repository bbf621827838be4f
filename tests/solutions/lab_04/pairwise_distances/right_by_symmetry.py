import numba
import numpy as np


@numba.njit(fastmath=True)
def pairwise_distances(points):
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            total = 0.0
            for k in range(axes):
                difference = points[i, k] - points[j, k]
                total += difference * difference
            distances[i, j] = distances[j, i] = np.sqrt(total)
    return distances
