"""The sum goes on from the number before. Set it back for each `i` and `j`."""


def fused(x, w, b, out):
    total = 0.0
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(x.shape[1]):
                total += x[i, k] * w[k, j]
            out[i, j] = max(total + b[j], 0.0)
