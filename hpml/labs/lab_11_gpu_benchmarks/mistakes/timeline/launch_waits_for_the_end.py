"""Here the CPU loses its lead: while a long kernel runs, it waits instead of issuing the next ones. It
is done with launch number k after k launches, whatever the GPU does."""


def timeline(launch, kernels):
    spans, issued = [], 0.0
    for kernel in kernels:
        end = spans[-1][1] if spans else 0.0
        issued = max(issued + launch, end)
        spans.append((issued, issued + kernel))
    return spans
