"""The networks of the experiments, each in several variants with the same results.

The deep linear network has such small layers that overhead dominates its time. The toy ResNet is a
small network with convolutions and shortcuts. The block of a transformer is what language models
repeat; the transformer of characters, made of such blocks, and the ConvNeXt are for training and
serving.

>>> import torch
>>> from hpml.course.models import DeepLinear, linear_layers, symbolic_deep_linear
>>> layers = linear_layers(250)
>>> x = torch.ones(4, 4)
>>> bool((DeepLinear(layers)(x) == symbolic_deep_linear(layers, 4, "codegen")(x)).all())
True
"""

from __future__ import annotations

from hpml.course.models.characters import (
    CharacterTransformer,
    GenerationError,
    generate,
    symbolic_continuation,
)
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
from hpml.course.models.transformer import (
    TransformerBlock,
    symbolic_transformer_block,
    transformer_block_forwards,
)

__all__ = [
    "ACTIVATIONS",
    "CharacterTransformer",
    "ConvNeXt",
    "DeepLinear",
    "GenerationError",
    "ToyResNet",
    "TransformerBlock",
    "convnext",
    "generate",
    "linear_layers",
    "symbolic_continuation",
    "symbolic_deep_linear",
    "symbolic_toy_resnet",
    "symbolic_transformer_block",
    "transformer_block_forwards",
]
