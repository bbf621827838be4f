"""Gradients as lists and back, and PyTorch's own scaler beside a student's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import nn

    from hpml.datasets import Dataset


def batches(data: Dataset, steps: int, size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield so many batches of images and labels, from the beginning again where they end."""
    from hpml.training import RECIPES, prepared

    for step in range(steps):
        first = step * size % (len(data.train) - size)
        images = data.train.images[first : first + size]
        yield prepared(images, RECIPES["vanilla"]), data.train.labels[first : first + size]


def gradients(model: nn.Module) -> list[float]:
    """Return the gradients of all weights, one number after the other."""
    import torch

    found = [w.grad.flatten() for w in model.parameters() if w.grad is not None]
    numbers: list[float] = torch.cat(found).tolist()
    return numbers


def give_gradients(model: nn.Module, numbers: list[float]) -> None:
    """Put numbers in place of the gradients of all weights."""
    import torch

    weights = [w for w in model.parameters() if w.grad is not None]
    parts = torch.split(torch.tensor(numbers), [w.numel() for w in weights])
    for weight, part in zip(weights, parts, strict=True):
        weight.grad = part.view_as(weight)


def pytorch_scales(data: Dataset, start: float, interval: int, steps: int) -> list[float]:
    """Return the scale of each step of a training in float16 with PyTorch's GradScaler."""
    import torch

    from hpml.labs.lab_12_training.networks import network

    model, scales = network(data), []
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=start, growth_interval=interval)
    for images, labels in batches(data, steps, size=32):
        with torch.autocast("cpu", torch.float16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        scales.append(scaler.get_scale())
        torch.autograd.backward(scaler.scale(loss))
        scaler.step(optimiser)
        scaler.update()
        optimiser.zero_grad()
    return scales
