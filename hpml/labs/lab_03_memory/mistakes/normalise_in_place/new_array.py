"""`x = x - ...` makes a new array and lets go of the one that was given. The caller's array stays
as it was. `x -= ...` changes the array itself."""

import numpy as np


def normalise_in_place(x):
    x = x - x.mean()
    spread = np.sqrt(np.dot(x, x) / len(x))
    return x / spread if spread > 0 else x
