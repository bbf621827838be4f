def graph_speedup(n, launch, kernel):
    eager = launch + kernel + (n - 1) * max(launch, kernel)
    return eager / (launch + n * kernel)
