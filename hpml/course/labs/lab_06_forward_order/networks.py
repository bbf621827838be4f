"""The deep linear networks that lab 06 compares, and the search for the recursion limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


def forwards_of(n_layers: int, features: int = 4) -> dict[str, nn.Module]:
    """Return the deep linear network as lazy, ordered, generated and handwritten models."""
    from hpml.course.models import DeepLinear, linear_layers, symbolic_deep_linear

    layers = linear_layers(n_layers, features)
    executions = ("lazy", "ordered", "codegen")
    models = {each: symbolic_deep_linear(layers, features, each) for each in executions}
    return {**models, "handwritten": DeepLinear(layers)}


def block_forwards() -> dict[str, nn.Module]:
    """Return a transformer's block as lazy and ordered models, by hand and by torch.fx."""
    from hpml.course.models import transformer_block_forwards

    return transformer_block_forwards("lazy", "ordered")


def deepest(run: Callable[[int], object]) -> int:
    """Return the largest n, up to 200,000, for which ``run(n)`` raises no RecursionError."""
    good, bad, step = 0, 200_001, 64
    while bad - good > 1:
        middle = min(good + step, (good + bad) // 2)
        try:
            run(middle)
        except RecursionError:
            bad = middle
        else:
            # Double from below, because recursion that is far too deep takes long to fail.
            good, step = middle, 2 * step
    return good
