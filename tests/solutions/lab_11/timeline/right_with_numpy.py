import numpy


def timeline(launch, kernels):
    issued = launch * numpy.arange(1, len(kernels) + 1)
    lines, free = [], 0.0
    for start, kernel in zip(issued, kernels, strict=True):
        begin = numpy.maximum(start, free)
        free = begin + kernel
        lines.append([begin, free])
    return lines
