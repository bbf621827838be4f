"""That is what very many kernels come close to. With few, the first launch shows, and eagerly the
last kernel too."""


def graph_speedup(n, launch, kernel):
    return max(launch, kernel) / kernel
