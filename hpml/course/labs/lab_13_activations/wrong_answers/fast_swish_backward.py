"""Wrong answers to `fast_swish_backward`: each docstring is the diagnosis."""

import torch


def _chosen(x, left, middle, right, *, low=-2):
    return torch.where(x < low, left, torch.where(x < 3, middle, right))


def _left(x):
    return -2 / (3 * x * x)


def _middle(x):
    return (2 * x + 3) / 6


def _slope(x, left=None, low=-2):
    return _chosen(x, _left(x) if left is None else left, _middle(x), torch.ones_like(x), low=low)


def hard_swish(x, grad):
    """That is HardSwish's slope, which is 0 on the left. There FastSwish is 2 / (3 x), with the
    slope -2 / (3 x²)."""
    return grad * _slope(x, torch.zeros_like(x), low=-3)


def masks(x, grad):
    """It multiplies each piece by 0 or 1 and adds them up. At 0 the left piece is infinite, and 0 times
    infinity is not a number. Choose with `torch.where`."""
    is_left, is_right = (x < -2).to(x.dtype), (x >= 3).to(x.dtype)
    return grad * (is_left * _left(x) + (1 - is_left - is_right) * _middle(x) + is_right)


def sign(x, grad):
    """On the left FastSwish falls: the derivative of 1 / x is -1 / x², but your slope is positive."""
    return grad * _slope(x, -_left(x))


def values(x, grad):
    """It multiplies by the values of FastSwish. The backward pass needs its slope."""
    return grad * _chosen(x, 2 / (3 * x), x * (x + 3) / 6, x)


def without_grad(x, grad):
    """That is the slope alone. The chain rule multiplies it by `grad`, the gradient of the result."""
    return _slope(x)
