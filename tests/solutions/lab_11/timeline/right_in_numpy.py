import numpy as np


def timeline(launch, kernels):
    ends = np.zeros(len(kernels) + 1)
    for place, kernel in enumerate(kernels):
        ends[place + 1] = np.maximum(launch * (place + 1), ends[place]) + kernel
    return tuple((end - kernel, end) for end, kernel in zip(ends[1:], kernels, strict=True))
