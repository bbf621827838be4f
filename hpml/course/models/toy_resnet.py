"""The toy ResNet: a residual network of 175,530 parameters, small enough for overhead to show.

It has three groups of two blocks, with 16, 32 and 64 channels. A block normalises and activates
before each of its two convolutions and adds its input to the result. The first block of the second
and third group halves the image and has a convolution of 1 by 1 as its shortcut.

Sources: K. He et al., "Identity Mappings in Deep Residual Networks", ECCV 2016, for the order of
normalisation, activation and convolution; the benchmark "Toy ResNet" of pytorch-symbolic for the
sizes, with its published figures in ``data/published_results.json``.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

CHANNELS = (16, 32, 64)
BLOCKS = 2
"""The number of blocks in each group."""


class Block(nn.Module):
    """A residual block; it divides height and width by the stride."""

    def __init__(self, before: int, channels: int, stride: int) -> None:
        super().__init__()
        same = stride == 1 and before == channels
        self.norm_1 = _norm(before)
        self.relu_1 = nn.ReLU()
        self.conv_1 = nn.Conv2d(before, channels, 3, stride, padding=1)
        self.norm_2 = _norm(channels)
        self.relu_2 = nn.ReLU()
        self.conv_2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.shortcut = None if same else nn.Conv2d(before, channels, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the input, or its projection, plus the result of the two convolutions."""
        residual = x if self.shortcut is None else self.shortcut(x)
        x = self.conv_1(self.relu_1(self.norm_1(x)))
        x = self.conv_2(self.relu_2(self.norm_2(x)))
        return x + residual


class ToyResNet(nn.Module):
    """The network as a hand-written module, with the same weights for the same seed.

    The parameters and running statistics of the normalisations are random. With torch's defaults, 1
    and 0, a missing normalisation would hardly change the result in eval mode.

    Args:
        resolution: height and width of the images in pixels, a multiple of 4; the weights do not
            depend on it.
        classes: number of scores per image, at least 1.
        seed: seed of the weights, drawn on the CPU; the global random generator is not changed.

    Shapes:
        input (batch, 3, resolution, resolution), output (batch, classes).

    >>> model = ToyResNet().eval()
    >>> model(torch.zeros(4, 3, 32, 32)).shape, sum(p.numel() for p in model.parameters())
    (torch.Size([4, 10]), 175530)
    """

    def __init__(self, resolution: int = 32, classes: int = 10, *, seed: int = 0) -> None:
        super().__init__()
        self.resolution = resolution
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.stem = nn.Conv2d(3, CHANNELS[0], 3, padding=1)
            self.blocks = nn.ModuleList()
            before = CHANNELS[0]
            for group, channels in enumerate(CHANNELS):
                for number in range(BLOCKS):
                    stride = 2 if group > 0 and number == 0 else 1
                    self.blocks.append(Block(before, channels, stride))
                    before = channels
            self.norm = _norm(before)
            self.relu = nn.ReLU()
            self.pool = nn.AvgPool2d(resolution // 4)
            self.flatten = nn.Flatten()
            self.classifier = nn.Linear(before, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores, (batch, classes)."""
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        x = self.pool(self.relu(self.norm(x)))
        scores: Tensor = self.classifier(self.flatten(x))
        return scores


def symbolic_toy_resnet(
    network: ToyResNet, execution: str, *, cuda_graphs: bool = False
) -> nn.Module:
    """Return the network as an `hpml.symbolic.SymbolicModel` with the given execution.

    Args:
        network: the network, whose layers are shared.
        execution: one of `hpml.symbolic.EXECUTIONS`.
        cuda_graphs: record the kernels of the forward once and replay them on the GPU.

    Raises:
        hpml.symbolic.GraphError: if there is no such execution, or the machine cannot run it.

    >>> model = symbolic_toy_resnet(ToyResNet(16), "codegen").eval()
    >>> model(torch.zeros(4, 3, 16, 16)).shape
    torch.Size([4, 10])
    """
    from hpml.symbolic import Input, SymbolicModel

    inputs = Input(shape=(3, network.resolution, network.resolution))
    outputs = layer_by_layer(network, inputs)
    return SymbolicModel(inputs, outputs, enable_cuda_graphs=cuda_graphs, execution=execution)


def layer_by_layer(network: ToyResNet, x: Any) -> Any:
    """Return the scores of a symbolic input; a call of a block would be recorded as one layer."""
    x = network.stem(x)
    for block in network.blocks:
        x = block.forward(x)
    return network.classifier(network.flatten(network.pool(network.relu(network.norm(x)))))


def _norm(channels: int) -> nn.BatchNorm2d:
    norm = nn.BatchNorm2d(channels)
    with torch.no_grad():
        norm.weight.uniform_(0.5, 1.5)
        norm.bias.normal_(std=0.2)
        assert norm.running_mean is not None  # for the type checker: None only without
        assert norm.running_var is not None  # track_running_stats
        norm.running_mean.normal_(std=0.2)
        norm.running_var.uniform_(0.5, 1.5)
    return norm
