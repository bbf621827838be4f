import torch


def make_traceable(test, yes, no):
    def traceable(x):
        return torch.where(test(x), yes(x), no(x))

    return traceable
