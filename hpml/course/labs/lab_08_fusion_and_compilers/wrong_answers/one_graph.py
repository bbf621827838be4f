"""Wrong answers to `one_graph`: each docstring is the diagnosis."""

import torch


def blend(test, yes, no):
    """It multiplies the branch that was not chosen by 0. But 0 times infinity is not a number, nor
    is 0 times the root of a negative number. Choose instead of multiplying."""

    def chosen_by(x):
        chosen = test(x).float()
        return chosen * yes(x) + (1 - chosen) * no(x)

    return chosen_by


def plain_if(test, yes, no):
    """`if`, `bool` and `item` need a Python value. A graph has only tensors, so the compiler would
    end it there, and `fullgraph=True` forbids that. Let an operator choose."""

    def chosen_by(x):
        return yes(x) if test(x) else no(x)

    return chosen_by


def result_not_function(test, yes, no):
    """`one_graph` must return a function, which is called with `x` later. When `one_graph` itself is
    called, there is no `x` yet."""
    return yes


def swapped(test, yes, no):
    """The branches are the wrong way round: `yes` belongs to a test that is true."""

    def chosen_by(x):
        return torch.where(test(x), no(x), yes(x))

    return chosen_by
