"""A ConvNeXt in two sizes: one close to the document's for Tiny ImageNet, and one for CPUs.

The document gives only the size of its network, "18 mil parameters". The size "tiny-imagenet" has
the paper's channels times 5/6 and 3, 3, 7 and 3 blocks: 17,821,960 parameters with 200 classes. The
paper's layer scale and stochastic depth, which help over hundreds of epochs, are omitted.

Source: Z. Liu et al., "A ConvNet for the 2020s", CVPR 2022, https://arxiv.org/abs/2201.03545
"""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from hpml.course.models.activations import FastSwish

if TYPE_CHECKING:
    from collections.abc import Callable

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "gelu": nn.GELU,
    "hardswish": nn.Hardswish,
    "relu": nn.ReLU,
    "fastswish": FastSwish,
}
"""The constructor of each activation, by name."""

SIZES = {
    "tiny-imagenet": ((80, 160, 320, 640), (3, 3, 7, 3)),
    "small": ((32, 64), (2, 2)),
}
"""The channels and the number of blocks of each stage, by size."""


def convnext(
    size: str = "small",
    classes: int = 10,
    activation: str | Callable[[Tensor], Tensor] = "gelu",
    *,
    channels: int = 3,
    patch: int = 4,
    seed: int = 0,
) -> ConvNeXt:
    """Return a ConvNeXt in training mode, with the same random weights for the same seed.

    Args:
        size: one of `SIZES`.
        classes: number of scores per image, at least 1.
        activation: one of `ACTIVATIONS`, or a function of a tensor; it does not affect the weights.
        channels: channels of the images: 3 for colour, 1 for grey.
        patch: height and width of a patch in pixels: 4 as in the paper, or 2 for the digits of 8 by
            8 pixels. Images must have at least ``patch * 2**(stages - 1)`` pixels per side.
        seed: seed of the weights; the global random generator is not changed.

    >>> sum(p.numel() for p in convnext("tiny-imagenet", classes=200).parameters())
    17821960
    >>> convnext("small")(torch.zeros(4, 3, 64, 64)).shape
    torch.Size([4, 10])
    """
    widths, blocks = SIZES[size]
    make = ACTIVATIONS[activation] if isinstance(activation, str) else partial(_applied, activation)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ConvNeXt(widths, blocks, classes, make, channels, patch)


def _applied(function: Callable[[Tensor], Tensor]) -> nn.Module:
    """Return a layer for one block; a module is copied, because blocks must not share weights."""
    return copy.deepcopy(function) if isinstance(function, nn.Module) else Applied(function)


class Applied(nn.Module):
    """A function of a tensor as a layer."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


class Block(nn.Module):
    """A residual block from (batch, channels, height, width) to the same shape."""

    def __init__(self, width: int, activation: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.expand = nn.Linear(width, 4 * width)
        self.activation = activation()
        self.project = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        mixed = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        mixed = self.project(self.activation(self.expand(mixed)))
        result: Tensor = x + mixed.permute(0, 3, 1, 2)
        return result


class Patches(nn.Module):
    """A strided convolution of patches, at the beginning and between stages."""

    def __init__(self, before: int, width: int, patch: int, *, norm_first: bool) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.norm = nn.LayerNorm(before if norm_first else width, eps=1e-6)
        self.conv = nn.Conv2d(before, width, patch, stride=patch)

    def forward(self, x: Tensor) -> Tensor:
        if not self.norm_first:
            x = self.conv(x)
        x = self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.conv(x) if self.norm_first else x


class ConvNeXt(nn.Module):
    """The network; use `convnext` to make one.

    Shapes:
        input (batch, channels, height, width), output (batch, classes).
    """

    def __init__(
        self,
        widths: tuple[int, ...],
        blocks: tuple[int, ...],
        classes: int,
        activation: Callable[[], nn.Module],
        channels: int,
        patch: int,
    ) -> None:
        super().__init__()
        self.channels = channels
        self.body = nn.Sequential()
        for stage, (width, count) in enumerate(zip(widths, blocks, strict=True), start=1):
            before = channels if stage == 1 else widths[stage - 2]
            down = Patches(before, width, patch if stage == 1 else 2, norm_first=stage > 1)
            self.body.add_module(f"down_{stage}", down)
            for number in range(1, count + 1):
                self.body.add_module(f"stage_{stage}_block_{number}", Block(width, activation))
        self.norm = nn.LayerNorm(widths[-1], eps=1e-6)
        self.classifier = nn.Linear(widths[-1], classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores, (batch, classes)."""
        scores: Tensor = self.classifier(self.norm(self.body(x).mean((-2, -1))))
        return scores
