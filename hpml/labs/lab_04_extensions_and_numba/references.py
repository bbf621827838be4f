"""The distances that exercise 04.2 is compared with in time: the loops that the notebook gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain_distances(points: Any) -> Any:
    """Return the distance of each point to each other, by loops that Python interprets."""
    count, axes = points.shape
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            total = 0.0
            for k in range(axes):
                total += (points[i, k] - points[j, k]) ** 2
            distances[i, j] = math.sqrt(total)
    return distances
