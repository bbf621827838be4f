"""How deep a recursion goes, and the deep linear network in the ways that lab 06 compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


def forwards_of(n_layers: int, features: int = 4) -> dict[str, nn.Module]:
    """Return the deep linear network as a lazy, an ordered, a generated and a written model."""
    from hpml.models import DeepLinear, linear_layers, symbolic_deep_linear

    layers = linear_layers(n_layers, features)
    ways = ("lazy", "ordered", "codegen")
    models = {way: symbolic_deep_linear(layers, features, way) for way in ways}
    return {**models, "handwritten": DeepLinear(layers)}


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
            # Doubling from below: what is far too deep takes longest to fail.
            good, step = middle, 2 * step
    return good
