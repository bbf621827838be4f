"""Here the CPU waits until a kernel has ended before it issues the next. It does not wait."""


def timeline(launch, kernels):
    spans, now = [], 0.0
    for kernel in kernels:
        now += launch
        spans.append((now, now + kernel))
        now += kernel
    return spans
