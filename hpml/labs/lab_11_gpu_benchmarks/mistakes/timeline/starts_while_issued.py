"""A kernel starts when its launch is over, not when the launch begins."""


def timeline(launch, kernels):
    spans, end = [], 0.0
    for k, kernel in enumerate(kernels):
        start = max(k * launch, end)
        end = start + kernel
        spans.append((start, end))
    return spans
