"""The networks of the experiments, each in several variants with the same results.

The deep linear network has such small layers that overhead dominates its time. The toy ResNet is a
small network with convolutions and shortcuts. The ConvNeXt is for training and serving.

>>> import torch
>>> from hpml.course.models import DeepLinear, linear_layers, symbolic_deep_linear
>>> layers = linear_layers(250)
>>> x = torch.ones(4, 4)
>>> bool((DeepLinear(layers)(x) == symbolic_deep_linear(layers, 4, "codegen")(x)).all())
True
"""

from __future__ import annotations

from hpml.course.models.convnext import (
    ACTIVATIONS,
    ConvNeXt,
    convnext,
)
from hpml.course.models.deep_linear import (
    DeepLinear,
    linear_layers,
    symbolic_deep_linear,
)
from hpml.course.models.toy_resnet import (
    ToyResNet,
    symbolic_toy_resnet,
)

__all__ = [
    "ACTIVATIONS",
    "ConvNeXt",
    "DeepLinear",
    "ToyResNet",
    "convnext",
    "linear_layers",
    "symbolic_deep_linear",
    "symbolic_toy_resnet",
]
