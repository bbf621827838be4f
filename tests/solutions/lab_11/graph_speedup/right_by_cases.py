def graph_speedup(n, launch, kernel):
    if n == 1 or launch == 0:
        return 1
    graph = launch + n * kernel
    if kernel > launch:
        return (launch + n * kernel) / graph
    return (n * launch + kernel) / graph
