"""Each number of `out` goes to memory and comes back before it is complete. Keep the sum in a
variable, and store it once."""


def fused(x, w, b, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = b[j]
            for k in range(x.shape[1]):
                out[i, j] += x[i, k] * w[k, j]
            out[i, j] = max(out[i, j], 0.0)
