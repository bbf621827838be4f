"""That is the graph's share of the time. The speed-up is its inverse."""


def graph_speedup(n, launch, kernel):
    eager = launch + kernel + (n - 1) * max(launch, kernel)
    return (launch + n * kernel) / eager
