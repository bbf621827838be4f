import numba
import numpy as np

HUNDRED = np.float32(100)


@numba.njit(fastmath=True)
def product(x, y, out):
    n, d = x.shape
    rows, steps = n - n % 4, d - d % 4
    out[:] = 10
    for i in range(0, rows, 4):
        o, p, q, r = out[i], out[i + 1], out[i + 2], out[i + 3]
        for k in range(0, steps, 4):
            s, t, u, v = y[k], y[k + 1], y[k + 2], y[k + 3]
            o0, o1, o2, o3 = x[i, k], x[i, k + 1], x[i, k + 2], x[i, k + 3]
            p0, p1, p2, p3 = x[i + 1, k], x[i + 1, k + 1], x[i + 1, k + 2], x[i + 1, k + 3]
            q0, q1, q2, q3 = x[i + 2, k], x[i + 2, k + 1], x[i + 2, k + 2], x[i + 2, k + 3]
            r0, r1, r2, r3 = x[i + 3, k], x[i + 3, k + 1], x[i + 3, k + 2], x[i + 3, k + 3]
            for j in range(out.shape[1]):
                a, b, c, e = HUNDRED * s[j], HUNDRED * t[j], HUNDRED * u[j], HUNDRED * v[j]
                o[j] += o0 * a + o1 * b + o2 * c + o3 * e
                p[j] += p0 * a + p1 * b + p2 * c + p3 * e
                q[j] += q0 * a + q1 * b + q2 * c + q3 * e
                r[j] += r0 * a + r1 * b + r2 * c + r3 * e
    for i in range(n):
        for k in range(steps if i < rows else 0, d):
            for j in range(out.shape[1]):
                out[i, j] += HUNDRED * x[i, k] * y[k, j]
