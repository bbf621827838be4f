import numba
import numpy as np


@numba.njit(fastmath={"contract", "reassoc"}, error_model="numpy")
def _add_four(sums, x, k, y):
    """Add four rows of y, each times a number of x, to four rows of sums."""
    s, t, u, v = y[k], y[k + 1], y[k + 2], y[k + 3]
    first, second, third, fourth = sums[0], sums[1], sums[2], sums[3]
    a0, a1, a2, a3 = x[0, k], x[0, k + 1], x[0, k + 2], x[0, k + 3]
    b0, b1, b2, b3 = x[1, k], x[1, k + 1], x[1, k + 2], x[1, k + 3]
    c0, c1, c2, c3 = x[2, k], x[2, k + 1], x[2, k + 2], x[2, k + 3]
    d0, d1, d2, d3 = x[3, k], x[3, k + 1], x[3, k + 2], x[3, k + 3]
    for j in range(len(s)):
        first[j] += a0 * s[j] + a1 * t[j] + a2 * u[j] + a3 * v[j]
        second[j] += b0 * s[j] + b1 * t[j] + b2 * u[j] + b3 * v[j]
        third[j] += c0 * s[j] + c1 * t[j] + c2 * u[j] + c3 * v[j]
        fourth[j] += d0 * s[j] + d1 * t[j] + d2 * u[j] + d3 * v[j]


def _plain(x, y, out):
    n, m = out.shape
    d = len(y)
    for first in range(0, n, 4):
        some, sums = x[first : first + 4], out[first : first + 4]
        sums[:] = np.float32(0)
        done = 0
        if len(sums) == 4:
            while done + 4 <= d:
                _add_four(sums, some, done, y)
                done += 4
        for i in range(len(sums)):
            for k in range(done, d):
                for j in range(m):
                    sums[i, j] += some[i, k] * y[k, j]
            for j in range(m):
                sums[i, j] = sums[i, j] * np.float32(100) + np.float32(10)


product = numba.njit(_plain)
