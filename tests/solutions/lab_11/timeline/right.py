def timeline(launch, kernels):
    spans = []
    issued = end = 0.0
    for kernel in kernels:
        issued += launch
        start = max(issued, end)
        end = start + kernel
        spans.append((start, end))
    return spans
