from itertools import accumulate


def timeline(launch, kernels):
    def after(span, numbered):
        place, kernel = numbered
        start = max(place * launch, span[1])
        return start, start + kernel

    return list(accumulate(enumerate(kernels, 1), after, initial=(0, 0)))[1:]
