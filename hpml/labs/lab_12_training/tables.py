"""What lab 12 prints: the student's rows beside the published ones, formats for real tensors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hpml.base.files import data_file, published
from hpml.base.tables import Table, format_bytes, format_seconds
from hpml.benchmark import Comparison
from hpml.labs.lab_12_training.exercises import Formats, surviving_format
from hpml.suites.convnext_train import MEASURED_AS

if TYPE_CHECKING:
    import torch

    from hpml.datasets import Dataset
    from hpml.training import Trainer


def beside_published(
    taken: Comparison, trainers: Mapping[str, Trainer], kept: Mapping[str, int]
) -> Table:
    """Return the published table with what was measured here, row by row, or recorded before."""
    block = published("convnext_training")
    recorded = json.loads(data_file("recorded/training.json").read_text(encoding="utf-8"))
    ratios = recorded["ratio to vanilla [middle, low, high]"]
    first = block["rows"][0]["epoch_s"]
    rows = []
    for row in block["rows"]:
        recipe = MEASURED_AS[row["changes"]]
        here = ["–", "–", "–"]
        if recipe in taken:
            one = trainers[recipe]
            ratio, accuracy = taken.ratio(recipe).value, 100 * one.accuracies[-1]
            seconds = format_seconds(sum(one.seconds) / one.epochs)
            here = [seconds, f"{ratio:.3f}", f"{accuracy:.2f} %"]
        elif recipe in ratios:
            middle, low, high = ratios[recipe]
            accuracy = recorded["accuracy"][recipe]
            here = ["–", f"recorded: {middle:.2f} ({low:.2f} to {high:.2f})",
                    f"recorded: {accuracy:.2f} %"]  # fmt: skip
        there = [f"{row['epoch_s']:.2f} s", f"{row['epoch_s'] / first:.3f}",
                 f"{row['val_accuracy']:.2f} %"]  # fmt: skip
        pairs = [text for pair in zip(there, here, strict=True) for text in pair]
        rows.append([row["changes"], *pairs, format_bytes(kept[recipe]) if recipe in kept else "–"])
    columns = [f"{what}, {where}" for what in ("epoch", "ratio", "accuracy")
               for where in ("published", "here")]  # fmt: skip
    vanilla = trainers["vanilla"]
    size = sum(weight.numel() for weight in vanilla.model.parameters())
    return Table(
        ["", *columns, "kept for backward, here"],
        rows,
        caption=f"Published: {block['workload']}, on {block['hardware']}; no memory was published. "
        f"Here: {size:,} parameters, {vanilla.data.name}, batch {vanilla.recipe.batch}, on the "
        f"{vanilla.device.type.upper()}. Recorded, not measured by you: digits, "
        f"{recorded['epochs']} epochs, {recorded['threads']} thread, PyTorch {recorded['torch']}, "
        f"on {recorded['machine']}.",
    )


def formats_of(
    choose_precision: Callable[..., Any], formats: Formats, tensors: Mapping[str, torch.Tensor],
    error: float,
) -> Table:  # fmt: skip
    """Return in which format each tensor survives, by the student's function and by the rules."""
    rows = []
    for name, tensor in tensors.items():
        given = (tensor.detach().flatten().tolist(), formats, error, "added" in name)
        try:
            yours = choose_precision(*given)
        except Exception as raised:  # noqa: BLE001 - whatever unfinished code does
            yours = type(raised).__name__
        rows.append([name, f"{tensor.numel():,}", yours or "–", surviving_format(*given) or "none"])
    return Table(["tensor", "numbers", "your choose_precision", "by the rules"], rows,
                 caption=f"Where an error of {error:.0%} is allowed.")  # fmt: skip


def interval(estimate: object) -> str:
    """Return an estimate with its ends, as a student's function gave them.

    >>> interval((2.0, 1.5, 2.5)), interval(None)
    ('2.00 s (1.50 s to 2.50 s)', 'not written yet')
    """
    if not isinstance(estimate, tuple) or len(estimate) != 3:
        return "not written yet"
    middle, low, high = map(format_seconds, estimate)
    return f"{middle} ({low} to {high})"


def tensors_of_step(data: Dataset) -> dict[str, torch.Tensor]:
    """Return numbers of a step in float32: weights, activations, and the gradients of both."""
    import torch

    from hpml.labs.lab_12_training.networks import network
    from hpml.training import RECIPES, prepared

    model, seen = network(data), list[torch.Tensor]()

    def keep(block: object, given: object, out: torch.Tensor) -> None:
        out.retain_grad()
        seen.append(out)

    hooks = [block.register_forward_hook(keep) for block in model.body.children()]
    images, labels = data.train.images[:128], data.train.labels[:128]
    scores = model(prepared(images, RECIPES["vanilla"]))
    torch.autograd.backward(torch.nn.functional.cross_entropy(scores, labels))
    for hook in hooks:
        hook.remove()
    found = {}
    both: dict[str, list[torch.Tensor]] = {"weights": [*model.parameters()], "activations": seen}
    for name, tensors in both.items():
        found[name] = torch.cat([each.detach().flatten() for each in tensors])
        slopes = [each.grad.flatten() for each in tensors if each.grad is not None]
        found[f"gradients of {name}"] = torch.cat(slopes)
    return found
