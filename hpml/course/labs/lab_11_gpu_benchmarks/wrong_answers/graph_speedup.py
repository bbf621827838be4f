"""Wrong answers to `graph_speedup`: each docstring is the diagnosis."""


def always_launch_bound(n, launch, kernel):
    """That is right only while launches take longer than kernels. Otherwise the kernels decide when
    the last one ends."""
    return (n * launch + kernel) / (launch + n * kernel)


def ends_forgotten(n, launch, kernel):
    """Almost right: the slower of launches and kernels decides. But the first launch and the last
    kernel overlap with nothing."""
    return n * max(launch, kernel) / (launch + n * kernel)


def sums(n, launch, kernel):
    """Launches and kernels are added up. One by one, most of the shorter times are hidden behind
    the longer ones: the CPU issues while the GPU computes."""
    return n * (launch + kernel) / (launch + n * kernel)


def upside_down(n, launch, kernel):
    """That is the graph's share of the time. The speed-up is its inverse."""
    eager = launch + kernel + (n - 1) * max(launch, kernel)
    return (launch + n * kernel) / eager
