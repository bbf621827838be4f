"""After the first launch the kernels run without a gap. But each has to be issued before it can
start."""


def timeline(launch, kernels):
    spans, end = [], launch
    for kernel in kernels:
        spans.append((end, end + kernel))
        end += kernel
    return spans
