def timeline(launch, kernels):
    spans = []
    issued = end = 0.0
    for kernel in kernels:
        issued += launch
        start = max(issued, end)
        end = start + kernel
        spans.append((start, end))
    return spans


def graph_speedup(n, launch, kernel):
    return timeline(launch, n * [kernel])[-1][1] / (launch + n * kernel)
