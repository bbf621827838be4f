"""Wrong answers to `gradient_dies`: each docstring is the diagnosis."""

import torch


def added_up(activation, interval):
    """It adds the gradients up. Positive and negative ones cancel, although neither is 0."""
    x = torch.linspace(*interval, 1001, requires_grad=True)
    activation(x).sum().backward()
    return bool(x.grad.sum() == 0)


def ends_only(activation, interval):
    """It looks at the two ends only. Between them the activation may do anything."""
    x = torch.linspace(*interval, 2, requires_grad=True)
    activation(x).sum().backward()
    return bool((x.grad == 0).all())


def nearly_zero(activation, interval):
    """It treats a small gradient as 0. A gradient of 1e-7 is small, but a unit still learns from
    it."""
    x = torch.linspace(*interval, 1001, requires_grad=True)
    activation(x).sum().backward()
    return bool((x.grad.abs() < 1e-6).all())


def somewhere(activation, interval):
    """A single point with gradient 0 is not a dead interval: a small step leads out of it again."""
    x = torch.linspace(*interval, 1001, requires_grad=True)
    activation(x).sum().backward()
    return bool((x.grad == 0).any())


def values_not_gradient(activation, interval):
    """It looks at the activation's values. The gradient of a constant is 0 whatever its value."""
    x = torch.linspace(*interval, 1001)
    return bool((activation(x) == 0).all())
