import numba
import numpy as np


@numba.jit("void(float32[:, ::1], float32[:, ::1], float32[:, ::1])", nopython=True, nogil=True)
def product(left, right, result):
    row = np.empty(right.shape[1], np.float32)
    for i, numbers in enumerate(left):
        row[:] = 0
        k = 0
        while k < len(numbers):
            row += numbers[k] * right[k]
            k += 1
        for j in range(row.size):
            result[i, j] = np.float32(100) * row[j] + np.float32(10)
