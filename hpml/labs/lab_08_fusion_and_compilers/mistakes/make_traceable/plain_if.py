"""`if`, `bool` and `item` are Python's. While tracing they are asked once, for the example, and the
trace keeps what came of it. A trace holds operators of PyTorch: one of them has to choose."""


def make_traceable(test, yes, no):
    def traceable(x):
        return yes(x) if test(x) else no(x)

    return traceable
