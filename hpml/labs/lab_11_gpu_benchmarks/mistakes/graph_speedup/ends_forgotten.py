"""Nearly: of n launches and n kernels the longer kind decides, but the first launch and the last
kernel have nothing to hide behind."""


def graph_speedup(n, launch, kernel):
    return n * max(launch, kernel) / (launch + n * kernel)
