"""That is the slope alone. The chain rule multiplies it by the gradient that comes from above."""

import torch


def fast_swish_backward(x, grad):
    left = -2 / (3 * x * x)
    middle = (2 * x + 3) / 6
    return torch.where(x < -2, left, torch.where(x < 3, middle, torch.ones_like(x)))
