"""The harness of lab 15: noisy waves to classify, and the reports of a training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def waves(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``train``: signals from the seed ``drawn``, and the settings."""
    import torch

    settings = dict(data)
    settings.pop("script", None)  # for the judge
    count, length = settings.pop("count"), settings.pop("length")
    drawn = torch.Generator().manual_seed(settings.pop("drawn"))
    labels = torch.randint(10, (count,), generator=drawn)
    time = torch.arange(length) / length
    phase = torch.rand(count, 1, generator=drawn)
    signals = torch.sin(2 * math.pi * ((2 * labels + 1)[:, None] * time + phase))
    signals = signals * torch.rand(count, 1, generator=drawn)
    signals += 0.7 * torch.randn(count, length, generator=drawn)
    return {"signals": signals, "labels": labels, **settings}


def reported(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the reports of all steps and the mean losses of all epochs as plain numbers."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return result
    steps, epochs = result
    return {"steps": [_numbers(step) for step in steps], "epochs": _numbers(epochs)}


def _numbers(values: Any) -> list[float | str]:
    """Return floats as they are, and the name of the type of everything else."""
    return [
        float(value) if isinstance(value, float) else f"of type {type(value).__name__}"
        for value in values
    ]
