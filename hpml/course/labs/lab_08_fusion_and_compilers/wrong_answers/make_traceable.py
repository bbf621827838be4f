"""Wrong answers to `make_traceable`: each docstring is the diagnosis."""

import torch


def blend(test, yes, no):
    """It multiplies the branch that was not chosen by 0. But 0 times infinity is not a number, nor
    is 0 times the root of a negative number. Choose instead of multiplying."""

    def traceable(x):
        chosen = test(x).float()
        return chosen * yes(x) + (1 - chosen) * no(x)

    return traceable


def plain_if(test, yes, no):
    """`if`, `bool` and `item` need a Python value. It is computed once, while tracing: the trace
    keeps only the branch of the example. A trace records operators: let one of them choose."""

    def traceable(x):
        return yes(x) if test(x) else no(x)

    return traceable


def result_not_function(test, yes, no):
    """`make_traceable` must return a function, which is called with `x` later. When
    `make_traceable` itself is called, there is no `x` yet."""
    return yes


def swapped(test, yes, no):
    """The branches are the wrong way round: `yes` belongs to a test that is true."""

    def traceable(x):
        return torch.where(test(x), no(x), yes(x))

    return traceable
