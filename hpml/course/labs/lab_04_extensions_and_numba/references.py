"""The reference for the speed of exercise 04.2: the interpreted loops given in the notebook."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain_distances(points: Any) -> Any:
    """Return the distances between all points, computed by interpreted loops."""
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            total = 0.0
            for k in range(axes):
                total += (points[i, k] - points[j, k]) ** 2
            distances[i, j] = math.sqrt(total)
    return distances
