"""Wrong answers to `pairwise_distances`: each docstring is the diagnosis."""

import math

import numba
import numpy as np


@numba.njit
def difference_of_squares(points):
    """|p|² + |q|² - 2pq is the square of the distance on paper. For points that are close together and
    far from 0, two large numbers cancel, and few digits remain. Subtract first, then square."""
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


def not_compiled(points):
    """The result is right, but Python and NumPy compute it. `@numba.njit` in the line above `def`
    passes the function to the compiler."""
    return np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))


@numba.njit
def one_half(points):
    """Each pair is computed once, which saves half of the work. The distance belongs in both places."""
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(axes):
                distances[i, j] += (points[i, k] - points[j, k]) ** 2
            distances[i, j] = math.sqrt(distances[i, j])
    return distances


@numba.njit
def squared(points):
    """These are the squares of the distances. The root is missing."""
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            for k in range(axes):
                distances[i, j] += (points[i, k] - points[j, k]) ** 2
    return distances
