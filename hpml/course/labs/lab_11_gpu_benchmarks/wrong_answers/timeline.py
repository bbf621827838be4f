"""Wrong answers to `timeline`: each docstring is the diagnosis."""


def all_at_once(launch, kernels):
    """After the first launch your kernels run without a gap. But each has to be issued before it
    can start."""
    spans, end = [], launch
    for kernel in kernels:
        spans.append((end, end + kernel))
        end += kernel
    return spans


def one_after_the_other(launch, kernels):
    """Here the CPU waits until a kernel has ended before it issues the next. It should not wait."""
    spans, now = [], 0.0
    for kernel in kernels:
        now += launch
        spans.append((now, now + kernel))
        now += kernel
    return spans


def overlapping(launch, kernels):
    """Each kernel starts when it is issued, even if the one before is still running. A queue
    runs its kernels one at a time."""
    return [(launch * k, launch * k + time) for k, time in enumerate(kernels, 1)]


def starts_while_issued(launch, kernels):
    """A kernel starts when its launch is over, not when the launch begins."""
    spans, end = [], 0.0
    for k, kernel in enumerate(kernels):
        start = max(k * launch, end)
        end = start + kernel
        spans.append((start, end))
    return spans
