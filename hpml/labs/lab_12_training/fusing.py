"""What a compiler could fuse in two networks, and what it gains: the document's remark."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn

_PRODUCTS = re.compile(r"conv|mm$|mm_|linear|matmul|mkldnn|slow_conv|thnn")


def outside_products(times: int = 3) -> dict[str, float]:
    """Return the share of a training step that lies outside of products and convolutions."""
    import torch

    from hpml.datasets import procedural
    from hpml.profiling import trace
    from hpml.training import RECIPES, prepared

    data = procedural(16, 1).train
    images = prepared(data.images, RECIPES["vanilla"])
    found = {}
    for name, model in networks().items():

        def step(model: nn.Module = model) -> None:
            torch.nn.functional.cross_entropy(model(images), data.labels).backward()

        step()
        found[name] = statistics.median(_outside(lambda: trace(step).table(None).rows)
                                        for _ in range(times))  # fmt: skip
    return found


def networks() -> dict[str, nn.Module]:
    """Return both networks for pictures of 64 pixels."""
    from hpml.models import ToyResNet, convnext, toy_resnet_layers

    return {
        "small ConvNeXt": convnext("small", 20),
        "toy ResNet": ToyResNet(toy_resnet_layers(64, 20)).train(),
    }


def _outside(rows: Callable[[], tuple[tuple[object, ...], ...]]) -> float:
    own = [(str(name), float(str(seconds))) for name, _, seconds, *_ in rows()]
    outside = sum(seconds for name, seconds in own if not _PRODUCTS.search(name))
    return outside / sum(seconds for _, seconds in own)


def fusing_in_words(found: dict[str, float]) -> str:
    """Say which of the two networks has more for a compiler to fuse.

    >>> fusing_in_words({"small ConvNeXt": 0.25, "toy ResNet": 0.55})
    'Outside of products: small ConvNeXt **25 %**, toy ResNet **55 %**. So the toy ...'
    """
    least, most = sorted(found, key=lambda name: found[name])
    shares = ", ".join(f"{name} **{100 * share:.0f} %**" for name, share in found.items())
    if found[most] - found[least] < 0.1:
        return f"Outside of products: {shares}. By this, neither has clearly more to fuse."
    return f"Outside of products: {shares}. So the {most} has more for a compiler to fuse."
