"""The toy ResNet: a residual network of 175,530 parameters, small enough for overhead to show.

Three groups of two blocks, of 16, 32 and 64 channels. A block normalises and activates before each
of its two convolutions and adds its input to the result; the first block of the second and of the
third group halves the image and passes its input through a convolution of 1 by 1. The mean of each
channel goes to a linear classifier.

On small images a convolution takes tens of microseconds, and what stands between the convolutions
is a visible part of the time; on larger ones it is not. Both ways of writing it take the same layer
objects, so they share weights and must agree to the last bit.

Sources: K. He et al., "Identity Mappings in Deep Residual Networks", ECCV 2016, for the order of
normalisation, activation and convolution; the benchmark "Toy ResNet" of pytorch-symbolic for the
sizes, with its published figures in ``data/published_results.json``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from hpml.models.errors import ModelError

CHANNELS = (16, 32, 64)
BLOCKS = 2
"""Blocks in each group."""


@dataclass(frozen=True)
class BlockLayers:
    """The layers of one residual block; the shortcut is None where the input is added as it is."""

    norm_1: nn.BatchNorm2d
    relu_1: nn.ReLU
    conv_1: nn.Conv2d
    norm_2: nn.BatchNorm2d
    relu_2: nn.ReLU
    conv_2: nn.Conv2d
    shortcut: nn.Conv2d | None


@dataclass(frozen=True)
class ToyResNetLayers:
    """The layers of one network, in the order in which they are applied.

    Attributes:
        resolution: height and width in pixels of the images that they were made for.
    """

    resolution: int
    stem: nn.Conv2d
    blocks: tuple[BlockLayers, ...]
    norm: nn.BatchNorm2d
    relu: nn.ReLU
    pool: nn.AvgPool2d
    flatten: nn.Flatten
    classifier: nn.Linear


def toy_resnet_layers(
    resolution: int = 32, classes: int = 10, *, seed: int = 0, device: str | torch.device = "cpu"
) -> ToyResNetLayers:
    """Return the layers of a toy ResNet, with the same random weights for the same seed.

    Args:
        resolution: height and width of the images in pixels, a multiple of 4; the weights do not
            depend on it.
        classes: how many scores the network gives, at least 1.
        seed: of the weights. They are drawn on the CPU and moved, so that they do not depend on
            the device; the global random generator is left as it was.
        device: where the layers live.

    Returns:
        Layers of float32. Scales, shifts and running statistics of the normalisations are drawn
        as well, as if there had been a training: with torch's 1 and 0 a normalisation would do
        next to nothing in eval mode, and a missing one would not be noticed.

    Raises:
        ModelError: if `resolution` is not a positive multiple of 4, or `classes` is below 1.

    >>> layers = toy_resnet_layers()
    >>> len(layers.blocks), sum(p.numel() for p in ToyResNet(layers).parameters())
    (6, 175530)
    """
    if resolution < 4 or resolution % 4 or classes < 1:
        raise ModelError(
            "toy_resnet_layers expects a resolution that is a positive multiple of 4, since the "
            "image is halved twice, and at least 1 class, "
            f"got resolution={resolution!r} and classes={classes!r}."
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = _draw(resolution, classes)
    # A module moves its layers in place: these very objects are on the device afterwards.
    ToyResNet(layers).to(device)
    return layers


def _draw(resolution: int, classes: int) -> ToyResNetLayers:
    stem = nn.Conv2d(3, CHANNELS[0], 3, padding=1)
    blocks = []
    before = CHANNELS[0]
    for group, channels in enumerate(CHANNELS):
        for number in range(BLOCKS):
            stride = 2 if group > 0 and number == 0 else 1
            blocks.append(_block(before, channels, stride))
            before = channels
    return ToyResNetLayers(
        resolution,
        stem,
        tuple(blocks),
        _norm(before),
        nn.ReLU(),
        nn.AvgPool2d(resolution // 4),
        nn.Flatten(),
        nn.Linear(before, classes),
    )


def _block(before: int, channels: int, stride: int) -> BlockLayers:
    same = stride == 1 and before == channels
    return BlockLayers(
        _norm(before),
        nn.ReLU(),
        nn.Conv2d(before, channels, 3, stride, padding=1),
        _norm(channels),
        nn.ReLU(),
        nn.Conv2d(channels, channels, 3, padding=1),
        None if same else nn.Conv2d(before, channels, 1, stride, bias=False),
    )


def _norm(channels: int) -> nn.BatchNorm2d:
    norm = nn.BatchNorm2d(channels)
    with torch.no_grad():
        norm.weight.uniform_(0.5, 1.5)
        norm.bias.normal_(std=0.2)
        assert norm.running_mean is not None  # for the type checker; only without
        assert norm.running_var is not None  # track_running_stats they are
        norm.running_mean.normal_(std=0.2)
        norm.running_var.uniform_(0.5, 1.5)
    return norm


class Block(nn.Module):
    """A residual block as anyone would write it by hand.

    Shapes:
        input (batch, channels before, height, width); output (batch, channels, height / stride,
        width / stride).
    """

    def __init__(self, layers: BlockLayers) -> None:
        super().__init__()
        self.norm_1 = layers.norm_1
        self.relu_1 = layers.relu_1
        self.conv_1 = layers.conv_1
        self.norm_2 = layers.norm_2
        self.relu_2 = layers.relu_2
        self.conv_2 = layers.conv_2
        self.shortcut = layers.shortcut

    def forward(self, x: Tensor) -> Tensor:
        """Return the input, or its projection, plus what the two convolutions make of it."""
        kept = x if self.shortcut is None else self.shortcut(x)
        x = self.conv_1(self.relu_1(self.norm_1(x)))
        x = self.conv_2(self.relu_2(self.norm_2(x)))
        return x + kept


class ToyResNet(nn.Module):
    """The network as anyone would write it by hand: modules with a forward.

    Args:
        layers: from `toy_resnet_layers`; they are taken as they are, not copied.

    Shapes:
        input (batch, 3, resolution, resolution), output (batch, classes).

    >>> ToyResNet(toy_resnet_layers(16)).eval()(torch.zeros(4, 3, 16, 16)).shape
    torch.Size([4, 10])
    """

    def __init__(self, layers: ToyResNetLayers) -> None:
        super().__init__()
        self.stem = layers.stem
        self.blocks = nn.ModuleList(Block(block) for block in layers.blocks)
        self.norm = layers.norm
        self.relu = layers.relu
        self.pool = layers.pool
        self.flatten = layers.flatten
        self.classifier = layers.classifier

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores, (batch, classes)."""
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        x = self.pool(self.relu(self.norm(x)))
        scores: Tensor = self.classifier(self.flatten(x))
        return scores


def connect_toy_resnet(layers: ToyResNetLayers, x: Any) -> Any:
    """Apply the layers to `x`, symbolic data of any library in which ``layer(x)`` builds a graph.

    Args:
        layers: from `toy_resnet_layers`.
        x: stands for images, (batch, 3, resolution, resolution).

    Returns:
        What stands for the scores, (batch, classes).

    >>> connect_toy_resnet(toy_resnet_layers(16), torch.zeros(4, 3, 16, 16)).shape
    torch.Size([4, 10])
    """
    x = layers.stem(x)
    for block in layers.blocks:
        kept = x if block.shortcut is None else block.shortcut(x)
        for norm, relu, conv in (
            (block.norm_1, block.relu_1, block.conv_1),
            (block.norm_2, block.relu_2, block.conv_2),
        ):
            x = conv(relu(norm(x)))
        x = x + kept
    return layers.classifier(layers.flatten(layers.pool(layers.relu(layers.norm(x)))))


def symbolic_toy_resnet(
    layers: ToyResNetLayers, execution: str, *, cuda_graphs: bool = False
) -> nn.Module:
    """Return the network as an `hpml.symbolic.SymbolicModel`, run by the given execution.

    Args:
        layers: from `toy_resnet_layers`; they are taken as they are, not copied.
        execution: one of `hpml.symbolic.EXECUTIONS`.
        cuda_graphs: record the kernels of the forward once and let the GPU replay them.

    Raises:
        hpml.symbolic.GraphError: if there is no such execution, or the machine cannot run it.

    >>> model = symbolic_toy_resnet(toy_resnet_layers(16), "codegen").eval()
    >>> model(torch.zeros(4, 3, 16, 16)).shape
    torch.Size([4, 10])
    """
    from hpml.symbolic import Input, SymbolicModel

    inputs = Input(shape=(3, layers.resolution, layers.resolution))
    return SymbolicModel(
        inputs,
        connect_toy_resnet(layers, inputs),
        enable_cuda_graphs=cuda_graphs,
        execution=execution,
    )
