"""That is the ratio of the numbers of launches. The kernels still have to run, n of them."""


def graph_speedup(n, launch, kernel):
    return float(n)
