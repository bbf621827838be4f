"""Right while launches take longer than kernels. Otherwise the kernels decide when the last ends."""


def graph_speedup(n, launch, kernel):
    return (n * launch + kernel) / (launch + n * kernel)
