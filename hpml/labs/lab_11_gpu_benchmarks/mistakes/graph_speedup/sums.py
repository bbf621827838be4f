"""Launches and kernels are added up. One by one, most of the shorter ones are hidden behind the
longer: the CPU issues while the GPU computes."""


def graph_speedup(n, launch, kernel):
    return n * (launch + kernel) / (launch + n * kernel)
