"""Wrong answers to `gradient_dies`: each docstring is the diagnosis."""

import torch


def _gradient(activation, interval, points=1001):
    x = torch.linspace(*interval, points, requires_grad=True)
    activation(x).sum().backward()
    return x.grad


def added_up(activation, interval):
    """It adds the gradients up. Positive and negative ones cancel, although neither is 0."""
    return bool(_gradient(activation, interval).sum() == 0)


def few_points(activation, interval):
    """It looks at too few points, such as the two ends only. Between them the activation may do
    anything."""
    return bool((_gradient(activation, interval, 2) == 0).all())


def in_float64(activation, interval):
    """It computes in float64, which represents far smaller gradients. Networks train in float32: look
    at float32 numbers."""
    x = torch.linspace(*interval, 1001, dtype=torch.float64, requires_grad=True)
    activation(x).sum().backward()
    return bool((x.grad == 0).all())


def nearly_zero(activation, interval):
    """It treats a small gradient as 0. However small it is, a unit still learns from
    it."""
    return bool((_gradient(activation, interval).abs() < 1e-6).all())


def not_positive(activation, interval):
    """It treats a negative gradient as 0. Where the activation falls, a unit learns too."""
    return bool((_gradient(activation, interval) <= 0).all())


def somewhere(activation, interval):
    """A single point with gradient 0 is not a dead interval: a small step leads out of it again."""
    return bool((_gradient(activation, interval) == 0).any())


def without_first(activation, interval):
    """It leaves out the first point. Both ends of the interval are included."""
    return bool((_gradient(activation, interval)[1:] == 0).all())


def without_last(activation, interval):
    """It leaves out the last point. Both ends of the interval are included."""
    return bool((_gradient(activation, interval)[:-1] == 0).all())


def values_not_gradient(activation, interval):
    """It looks at the activation's values. The gradient of a constant is 0 whatever its value."""
    return bool((activation(torch.linspace(*interval, 1001)) == 0).all())
