"""The networks that the experiments run, each written in several ways that compute the same.

So far one: the deep linear network, whose layers are so small that everything but the arithmetic
shows in its time.

>>> import torch
>>> from hpml.models import DeepLinear, linear_layers, sequential_deep_linear
>>> layers = linear_layers(250)
>>> x = torch.ones(4, 4)
>>> bool((DeepLinear(layers)(x) == sequential_deep_linear(layers)(x)).all())
True
"""

from __future__ import annotations

from hpml.models.deep_linear import (
    DeepLinear,
    linear_layers,
    sequential_deep_linear,
    symbolic_deep_linear,
)

__all__ = ["DeepLinear", "linear_layers", "sequential_deep_linear", "symbolic_deep_linear"]
