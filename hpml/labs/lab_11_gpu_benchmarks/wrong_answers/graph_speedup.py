"""Wrong answers to `graph_speedup`: each docstring is the diagnosis."""


def always_launch_bound(n, launch, kernel):
    """Right while launches take longer than kernels. Otherwise the kernels decide when the last
    ends."""
    return (n * launch + kernel) / (launch + n * kernel)


def ends_forgotten(n, launch, kernel):
    """Nearly: of n launches and n kernels the longer kind decides, but the first launch and the
    last kernel have nothing to hide behind."""
    return n * max(launch, kernel) / (launch + n * kernel)


def launches_saved(n, launch, kernel):
    """That is the ratio of the numbers of launches. The kernels still have to run, n of them."""
    return float(n)


def many_kernels(n, launch, kernel):
    """That is the limit for very many kernels. With few, the first launch counts too; launched one
    by one, so does the last kernel."""
    return max(launch, kernel) / kernel


def sums(n, launch, kernel):
    """Launches and kernels are added up. One by one, most of the shorter ones are hidden behind the
    longer: the CPU issues while the GPU computes."""
    return n * (launch + kernel) / (launch + n * kernel)


def upside_down(n, launch, kernel):
    """That is the graph's share of the time. The speed-up is its inverse."""
    eager = launch + kernel + (n - 1) * max(launch, kernel)
    return (launch + n * kernel) / eager
