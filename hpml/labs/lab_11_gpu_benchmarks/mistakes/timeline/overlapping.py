"""Each kernel starts when it is issued, even if the one before is still running. A queue is worked
off one by one."""


def timeline(launch, kernels):
    return [(launch * k, launch * k + time) for k, time in enumerate(kernels, 1)]
