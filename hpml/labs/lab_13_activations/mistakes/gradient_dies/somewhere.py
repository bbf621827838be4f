"""A single point with gradient 0 is no dead interval: a unit that moves on leaves it again."""

import torch


def gradient_dies(activation, interval):
    x = torch.linspace(*interval, 1001, requires_grad=True)
    activation(x).sum().backward()
    return bool((x.grad == 0).any())
