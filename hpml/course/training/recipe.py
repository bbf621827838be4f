"""A recipe: the options that change the speed of a training, as an immutable value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpml.base import accelerator
from hpml.base.errors import describe
from hpml.course.training.errors import TrainingError

if TYPE_CHECKING:
    import torch

PRECISIONS = ("float32", "amp", "bf16")


@dataclass(frozen=True)
class Recipe:
    """How to train a network; `dataclasses.replace` makes variants.

    Attributes:
        name: the name in tables.
        compile: use ``torch.compile``; the first step takes seconds to minutes.
        precision: "float32"; "bf16", mixed precision with bfloat16, which a GPU must have in
            hardware; or "amp", mixed precision with float16 and a scaled loss, and with bfloat16,
            which needs no scaling, on a CPU and on a GPU that cannot scale.
        channels_last: store the channels of a pixel side by side in memory; changes no text.
        fused: one kernel for the optimiser's update of all weights.
        cuda_graphs: record the kernels of forward and backward pass once and replay them; on GPUs
            of NVIDIA and AMD only.
        workers: processes that prepare batches in the background; 0 prepares them in this process.
        accumulate: parts of a batch whose gradients are added before an update.
        batch: pictures or windows of a text per update, over all parts and processes.
        resolution: height and width in pixels to which pictures are enlarged; None leaves them. The
            published training used 224.
        learning_rate: its maximum, after a linear rise over a tenth of the steps; then it falls
            like a cosine.
        weight_decay: of AdamW, only for matrices and convolutions.

    >>> RECIPES["compile+amp"].precision
    'amp'
    """

    name: str
    compile: bool = False
    precision: str = "float32"
    channels_last: bool = False
    fused: bool = False
    cuda_graphs: bool = False
    workers: int = 0
    accumulate: int = 1
    batch: int = 128
    resolution: int | None = None
    learning_rate: float = 2e-3
    weight_decay: float = 0.05

    def __post_init__(self) -> None:
        rates = {"learning_rate": self.learning_rate, "weight_decay": self.weight_decay}
        for name, value in rates.items():
            number = isinstance(value, int | float) and math.isfinite(value)
            if not number or value < 0 or (value == 0 and name == "learning_rate"):
                least = "a positive number" if name == "learning_rate" else "a number from 0"
                self._refuse(name, least, value)

    def check(self, device: torch.device, processes: int) -> None:
        """Raise an error if the recipe is impossible on this device with so many processes."""
        if self.precision not in PRECISIONS:
            self._refuse("precision", f"one of {', '.join(PRECISIONS)}", self.precision)
        counts = {"batch": 1, "accumulate": 1, "workers": 0, "resolution": 1}
        for name, least in counts.items():
            value = getattr(self, name)
            if name == "resolution" and value is None:
                continue
            if type(value) is not int or value < least:
                self._refuse(name, f"a whole number from {least}", value)
        if self.batch % (self.accumulate * processes):
            expected = f"a multiple of {self.accumulate} parts × {processes} processes"
            self._refuse("batch", expected, self.batch)
        if self.cuda_graphs and (device.type == "cpu" or processes > 1):
            self._refuse("cuda_graphs", "one process with a GPU", f"{processes} on {device}")
        if device.type == "cpu":  # whatever it lacks, PyTorch does in software
            return
        needs: list[tuple[str, bool, accelerator.Feature, str]] = [
            ("cuda_graphs", self.cuda_graphs, "graphs", "a GPU that records CUDA graphs"),
            ("precision", self.precision == "bf16", "bfloat16", "a GPU that computes in bfloat16"),
            ("compile", self.compile, "compile", "a GPU for which torch.compile works"),
        ]
        if self.precision == "amp" and not accelerator.can("scaler", device):
            needs.append(
                ("precision", True, "bfloat16", "a GPU that scales float16 or has bfloat16")
            )
        for name, needed, feature, expected in needs:
            if needed and not accelerator.can(feature, device):
                self._refuse(name, expected, f"{accelerator.name(device)}, on which a trial failed")

    def _refuse(self, name: str, expected: str, received: object) -> None:
        raise TrainingError(
            object=f"{name} of recipe {self.name!r}",
            expected=expected,
            received=describe(received),
            remedy=f"Change it with dataclasses.replace(recipe, {name}=...).",
        )


PUBLISHED = ("vanilla", "compile", "amp", "compile+amp")
"""The published recipes, in the order of their table."""

RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("vanilla"),
        Recipe("compile", compile=True),
        Recipe("amp", precision="amp"),
        Recipe("compile+amp", compile=True, precision="amp"),
        Recipe("vanilla again"),
        Recipe("bf16", precision="bf16"),
        Recipe("compile+bf16", compile=True, precision="bf16"),
        Recipe("channels-last", channels_last=True),
        Recipe("fused", fused=True),
        Recipe("cuda-graphs", cuda_graphs=True),
        Recipe("workers", workers=2),
        Recipe("accumulate", accumulate=2),
        Recipe("everything", compile=True, precision="bf16", channels_last=True, fused=True),
    )
}
"""All recipes by name; "vanilla again" is a control, which should take vanilla's time."""


def recipe_by_name(name: str) -> Recipe:
    """Return a recipe, or raise an error that lists the names.

    >>> recipe_by_name("fast")
    Traceback (most recent call last):
    ...
    hpml.course.training.errors.TrainingError: recipe: expected one of vanilla, compile, amp, ...
    """
    if name not in RECIPES:
        raise TrainingError(
            object="recipe",
            expected=f"one of {', '.join(RECIPES)}",
            received=describe(name),
            remedy="Choose one of them.",
        )
    return RECIPES[name]
