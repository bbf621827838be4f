"""The branches are the wrong way round: `yes` belongs to a test that is true."""

import torch


def make_traceable(test, yes, no):
    def traceable(x):
        return torch.where(test(x), no(x), yes(x))

    return traceable
