import math

import numba
import numpy as np

SAYS = {
    "A number other than 0 has a size from 1e-90 to 1e90.": "a range of the argument; both ends are cases",
    "Compiling is not counted.": "how the time is measured",
}
EQUIVALENT = {
    "15: a - b → b - a": "the difference is squared",
}


@numba.njit
def _distances(points):
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            total = 0.0
            for k in range(axes):
                total += (points[i, k] - points[j, k]) ** 2
            distances[i, j] = math.sqrt(total)
    return distances


def interpreted(points):
    """Write `pairwise_distances(points)` for Numba: it must itself be what `numba.njit` returns"""
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def calls_a_compiled_one(points):
    """it must itself be what `numba.njit` returns"""
    return _distances(points)


def _given():
    def plain_distances(points):
        count, axes = points.shape
        distances = np.zeros((count, count))
        for i in range(count):
            for j in range(count):
                total = 0.0
                for k in range(axes):
                    total += (points[i, k] - points[j, k]) ** 2
                distances[i, j] = math.sqrt(total)
        return distances

    return numba.njit(plain_distances)


_compiled_given = _given()


@numba.njit
def the_given_one(points):
    """for a function that you wrote and not for `plain_distances`."""
    return _compiled_given(points)


@numba.njit
def one_point_in_a_column(points):
    """`points` is a `float64` array with one point per row and at least one axis."""
    return _distances(points.T)


@numba.njit
def two_axes(points):
    """one point per row and at least one axis."""
    return _distances(points[:, :2])


@numba.njit
def up_to_nine_axes(points):
    """one point per row and at least one axis."""
    return _distances(points[:, :9])


@numba.njit
def no_points_are_one(points):
    """There may be no points."""
    return _distances(points) if len(points) else np.zeros((1, 1))


@numba.njit
def squares(points):
    """It returns a new `float64` array with the Euclidean distance of points `i` and `j` at
    `[i, j]`."""
    return _distances(points) ** 2


@numba.njit
def along_the_axes(points):
    """with the Euclidean distance of points `i` and `j`"""
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            for k in range(axes):
                distances[i, j] += abs(points[i, k] - points[j, k])
    return distances


@numba.njit
def float32(points):
    """It returns a new `float64` array"""
    return _distances(points).astype(np.float32)


@numba.njit
def one_half(points):
    """with the Euclidean distance of points `i` and `j` at `[i, j]`."""
    return np.triu(_distances(points))


@numba.njit
def moves_the_points(points):
    """It returns a new `float64` array"""
    if len(points):
        points[0, 0] += 1.0
    return _distances(points)


@numba.njit
def difference_of_squares(points):
    """Distances must be right to nine digits, even for points that are close together and far from
    0."""
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            total = 0.0
            for k in range(axes):
                total += points[i, k] ** 2 - 2 * points[i, k] * points[j, k] + points[j, k] ** 2
            distances[i, j] = math.sqrt(max(0.0, total))
    return distances


@numba.njit
def right_to_seven_digits(points):
    """Distances must be right to nine digits"""
    return _distances(points) * (1 + 1e-8)


@numba.njit
def small_ones_are_zero(points):
    """even for points that are close together"""
    distances = _distances(points)
    for i in range(len(distances)):
        for j in range(len(distances)):
            if distances[i, j] < 1e-8:
                distances[i, j] = 0.0
    return distances


@numba.njit
def rounded_to_nine_places(points):
    """Distances must be right to nine digits"""
    return np.floor(_distances(points) * 1e9 + 0.5) / 1e9


@numba.njit
def slow(points):
    """One of the points is for speed."""
    distances = _distances(points)
    for _ in range(60):
        distances = np.maximum(distances, _distances(points))
    return distances
