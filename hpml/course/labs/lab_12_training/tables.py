"""Tables, figures and verdicts of lab 12."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.base import accelerator, style
from hpml.base.charts import Bar, Dot, bars, dots, histogram, show
from hpml.base.page import Page, say, show_code
from hpml.base.tables import Table, format_bytes, format_seconds, readable
from hpml.benchmark import Comparison, Estimate, printed
from hpml.course.files import published, recorded
from hpml.course.labs.lab_12_training.exercises import Formats, surviving_format
from hpml.course.lesson.reference import keep_revealed
from hpml.course.lesson.reference import recorded as recorded_answer
from hpml.course.suites.convnext_train import MEASURED_AS

if TYPE_CHECKING:
    import torch
    from torch import nn

    from hpml.course.datasets import Dataset, Text
    from hpml.course.training import Recipe, Trainer


KINDS = ("7 × 7 convolutions", "linear layers", "other convolutions", "normalisations")


def _kind(layer: nn.Module) -> str:
    from torch import nn

    if isinstance(layer, nn.Conv2d):
        return KINDS[0] if layer.groups > 1 else KINDS[2]
    return KINDS[1] if isinstance(layer, nn.Linear) else KINDS[3]


def shares(model: nn.Module) -> dict[str, float]:
    """Return the share of the parameters in each kind of layer."""
    found = dict.fromkeys(KINDS, 0.0)
    for layer in model.modules():
        own = sum(weight.numel() for weight in layer.parameters(recurse=False))
        if own:
            found[_kind(layer)] += own
    total = sum(found.values())
    return {kind: count / total for kind, count in found.items()}


def draw_shares(models: Mapping[str, nn.Module]) -> Page:
    """Draw the shares of the parameters of two networks by kind of layer."""
    found = {name: shares(model) for name, model in models.items()}
    looks = dict(zip(found, ((style.DATA, "s"), (style.ACCENT, "o")), strict=True))
    rows = [
        Dot(kind, 100 * part[kind], f"{name} {part[kind]:.1%}", None, *looks[name], name)
        for kind in KINDS
        for name, part in found.items()
    ]
    return show(dots(rows, title="Where the parameters are", x="% of the network's parameters"))


def draw_magnitudes(
    tensors: Mapping[str, torch.Tensor], formats: Mapping[str, tuple[float, float, float]]
) -> Page:
    """Draw histograms of the magnitudes in tensors above the ranges of number formats.

    Numbers in the range of float16 have its colour; those too small for it have another.
    """
    low, high, charts = -26, 18, []
    edge = math.log2(formats["float16"][0])
    for name, tensor in tensors.items():
        sizes = tensor.detach().abs().flatten()
        powers = sizes[sizes > 0].log2().clamp(low, high).tolist()
        bins = range(low, high + 1)
        charts.append(
            histogram(powers, bins, "x", edge, title=name, y="how many", at=[edge], height=1.2)
        )
    rows = []
    for name, (smallest, largest, _) in formats.items():
        first, last = math.log2(smallest), math.log2(largest)
        left, right = max(low, first), min(high, last)
        text = f"{first:.0f} to {last:.0f}" + ", not all drawn" * (last > high)
        shade = style.DATA if name == "float16" else style.MUTED
        rows.append(Bar(name, right - left, text, start=left, colour=shade))
    title, x = "Ranges of the formats", "power of two; dashed: float16's smallest"
    charts.append(bars(rows, title=title, x=x, at=[edge], xlim=(low, high)))
    return show(*charts, width=8.0)


def beside_published(
    taken: Comparison, trainers: Mapping[str, Trainer], kept: Mapping[str, int]
) -> Table:
    """Return the published table with measured or recorded results next to each row."""
    block, before = published("convnext_training"), recorded("training")
    ratios = before["ratio to vanilla [middle, low, high]"]
    first = block["rows"][0]["epoch_s"]
    rows = []
    for row in block["rows"]:
        recipe = MEASURED_AS[row["changes"]]
        seconds = ratio = accuracy = "–"
        if recipe in taken:
            one = trainers[recipe]
            seconds = format_seconds(sum(one.seconds) / one.epochs)
            ratio = taken.ratio(recipe).shown
            accuracy = f"{100 * one.accuracies[-1]:.2f} %"
        elif recipe in ratios:
            middle, low, high = ratios[recipe]
            ratio = f"recorded: {printed.with_interval(middle, low, high)}"
            accuracy = f"recorded: {before['accuracy'][recipe]:.2f} %"
        rows.append([
            row["changes"], f"{row['epoch_s']:.2f} s", seconds, f"{row['epoch_s'] / first:.3f}",
            ratio, f"{row['val_accuracy']:.2f} %", accuracy,
            format_bytes(kept[recipe]) if recipe in kept else "–",
        ])  # fmt: skip
    columns = [
        f"{what}, {where}"
        for what in ("epoch", "ratio", "accuracy")
        for where in ("published", "here")
    ]
    vanilla = trainers["vanilla"]
    size = sum(weight.numel() for weight in vanilla.model.parameters())
    return Table(
        ["", *columns, "kept for backward, here"],
        rows,
        caption=f"Published: {block['workload']}, on {block['hardware']}; no memory was published. "
        f"Here: {size:,} parameters, {vanilla.data.name}, {_batch(vanilla.recipe)}, on "
        f"{_place(vanilla.device)}. Recorded, not measured by "
        f"you: digits, {before['epochs']} epochs, {before['threads']} thread, "
        f"PyTorch {before['torch']}, on {before['machine']}.",
    )


def _batch(recipe: Recipe) -> str:
    """Name the batch, and the parts of which the memory is shown."""
    parts = f" in {recipe.accumulate} parts" if recipe.accumulate > 1 else ""
    return f"batch {recipe.batch}{parts}"


def _place(device: torch.device) -> str:
    """Name the device, and what its float32 is."""
    rounded = ", `float32` with TF32 in convolutions" * accelerator.rounds_convolutions(device)
    return "the CPU" if device.type == "cpu" else f"a GPU{rounded}"


def beside_gpu(taken: Comparison) -> Page:
    """Report for each recipe whether it gains more or less than on the document's GPU."""
    rows = published("convnext_training")["rows"]
    seconds = {MEASURED_AS[row["changes"]]: row["epoch_s"] for row in rows}
    texts = []
    for name in taken.names[1:]:
        ratio, there = taken.ratio(name), seconds[name] / seconds["vanilla"]
        gains = "less" if ratio.low > there else "more" if ratio.high < there else ""
        found = f"gains **{gains}**" if gains else "**cannot be told apart** from that"
        found = "is **slower** than vanilla" if ratio.low > 1 else found
        texts.append(
            f"{name} takes {ratio.with_interval} times vanilla's time, "
            f"published {there:.2f}: it {found} here"
        )
    return say("; ".join(texts) + ".")


def beside_convnext(transformer: Comparison, convnext: Comparison, text: Text) -> Table:
    """Return the ratios of the recipes on the transformer beside those on the ConvNeXt."""
    characters = text.epoch_size * text.train.inputs.shape[1]
    speed = characters / transformer["vanilla"].median
    block, before = published("convnext_training"), recorded("training")
    seconds = {MEASURED_AS[row["changes"]]: row["epoch_s"] for row in block["rows"]}
    # Both names of mixed precision compute in bfloat16 on a CPU.
    same = {"bf16": "amp", "compile+bf16": "compile+amp"}
    compiled = before["transformer"]["ratio to vanilla [middle, low, high]"]
    rows = []
    for name in dict.fromkeys((*transformer.names, *compiled)):
        twin = same.get(name, name)
        there = f"{seconds[twin] / seconds['vanilla']:.3f}" if twin in seconds else "–"
        here = convnext.ratio(twin).with_interval if twin in convnext else "–"
        if name in transformer:
            measured = transformer.ratio(name).with_interval
        else:
            measured = f"recorded: {printed.with_interval(*compiled[name])}"
        if name != "vanilla":
            rows.append([name, there, here, measured])
    return Table(
        ["time / vanilla's", "ConvNeXt, published", "ConvNeXt, here", "transformer, here"],
        rows,
        caption="Hodges-Lehmann estimates with 95 % intervals. Published: "
        f"{block['hardware']}, with AMP in float16. Recorded, not measured by you: "
        f"PyTorch {before['torch']}, {before['threads']} thread, on "
        f"{before['transformer']['machine']}. Here vanilla trains on {readable(speed, 2)} "
        "characters per second.",
    )


def controlled(taken: Comparison) -> Page:
    """Report whether the control includes 1, and which recipes differ from both vanillas."""
    ratio = taken.ratio("vanilla again")
    holds = ratio.low <= 1 <= ratio.high
    text = f"The control takes {ratio.with_interval} times vanilla's time: "
    if holds:
        text += "its interval **includes 1**, as it should."
    else:
        text += (
            "its interval **excludes 1**, although nothing differs. The machine is noisier than "
            "the intervals say: believe no ratio that is as near to 1."
        )
    both = ("vanilla", "vanilla again")
    others = {
        name: [taken.ratio(name, each) for each in both] for name in taken.names if name not in both
    }
    faster = [name for name, each in others.items() if all(ratio.high < 1 for ratio in each)]
    slower = [name for name, each in others.items() if all(ratio.low > 1 for ratio in each)]
    for word, found in (("Faster", faster), ("Slower", slower)):
        if found:
            text += f" {word} than each of the two: **{', '.join(found)}**."
    if not faster and not slower:
        text += " No recipe can be told apart from both. " + recorded_answer("12", "transformer")
    else:
        keep_revealed("transformer", f"faster than both vanillas: {', '.join(faster) or 'none'}")
    return say(text)


def trained() -> Page:
    """Show what a longer training of the transformer reached, as it was recorded."""
    from hpml.course.datasets import austen, bigram_loss

    before = recorded("training")["transformer"]
    found = before["trained"]
    first = say(
        f"Recorded on {before['machine']}, in {found['minutes']} minutes: a validation loss of "
        f"**{found['validation loss']:.2f}**. A model that only counts pairs of characters has "
        f"**{bigram_loss(austen()):.2f}**. It was given `It is`, and wrote what follows:"
    )
    text = show_code(f"It is{found['text']}")
    return Page(f"{first.plain}\n\n{text.plain}", first.html + text.html)


def small_changes(taken: Comparison) -> Page:
    """Report which executions change the time of an epoch by more than a quarter."""
    most = 1.25
    ratios = {name: taken.ratio(name) for name in taken.names[1:]}
    large = [name for name, r in ratios.items() if r.low > most or r.high < 1 / most]
    small = [name for name, r in ratios.items() if 1 / most < r.low and r.high < most]
    if len(large) + len(small) < len(ratios):
        text = "That is too uncertain to judge: measure again on a quieter machine. "
        text += recorded_answer("12", "executions")
    else:
        only = f"Only {' and '.join(large)} change{'s' * (len(large) == 1)}"
        found = only if large else "None of them changes"
        text = f"**{found} it by more than a quarter**."
        keep_revealed("executions", text.rstrip("."))
    seen = ", ".join(f"{name} takes {ratio.with_interval}" for name, ratio in ratios.items())
    return say(f"Of vanilla's time for an epoch, {seen}. {text}")


def formats_of(
    choose_precision: Callable[..., Any],
    formats: Formats,
    tensors: Mapping[str, torch.Tensor],
    error: float,
) -> Table:
    """Return the format for each tensor, by the student's function and by the rules."""
    rows = []
    for name, tensor in tensors.items():
        given = (tensor.detach().flatten().tolist(), formats, error, "added" in name)
        try:
            yours = choose_precision(*given)
        except Exception as raised:  # noqa: BLE001 - unfinished code may raise anything
            yours = type(raised).__name__
        rows.append([name, f"{tensor.numel():,}", yours or "–", surviving_format(*given) or "none"])
    return Table(
        ["tensor", "numbers", "your choose_precision", "by the rules"],
        rows,
        caption=f"An error of {error:.0%} is allowed.",
    )


def interval(estimate: object) -> str:
    """Return the student's estimate and its interval as text."""
    if not isinstance(estimate, tuple | list) or len(estimate) != 3:
        return "not written yet"
    middle, low, high = map(format_seconds, estimate)
    return f"{middle} ({low} to {high})"


def tensors_of_step(data: Dataset) -> dict[str, torch.Tensor]:
    """Return the weights, activations and gradients of both in a float32 step."""
    import torch

    from hpml.course.labs.lab_12_training.networks import batches, network

    model, seen = network(data), list[torch.Tensor]()

    def keep(block: object, given: object, out: torch.Tensor) -> None:
        out.retain_grad()
        seen.append(out)

    for block in model.body.children():
        block.register_forward_hook(keep)
    ((images, labels),) = batches(data, 1, size=128)
    torch.autograd.backward(torch.nn.functional.cross_entropy(model(images), labels))
    found = {}
    both: dict[str, list[torch.Tensor]] = {"weights": [*model.parameters()], "activations": seen}
    for name, tensors in both.items():
        # On the CPU, where every format and float64 exist.
        found[name] = torch.cat([each.detach().cpu().flatten() for each in tensors])
        slopes = [each.grad.cpu().flatten() for each in tensors if each.grad is not None]
        found[f"gradients of {name}"] = torch.cat(slopes)
    return found


def spread(accuracies: Sequence[float]) -> str:
    """Return the mean, lowest and highest accuracy as text."""
    low, high = min(accuracies), max(accuracies)
    return f"{statistics.fmean(accuracies):.2f} % ({low:.2f} to {high:.2f})"


def accuracy_changes(runs: Mapping[str, Sequence[float]]) -> dict[str, Estimate]:
    """Return what the lab's hypotheses predict, from one accuracy per seed and way of training."""
    seeds, gains, digit = _changes(runs)
    names = ("mixed precision's smallest gain", "a last digit's largest change")
    found = {}
    for name, points in zip(names, (min(gains), digit), strict=True):
        times = points / seeds if seeds else math.nan
        ends = (times, times) if seeds else (-math.inf, math.inf)
        found[f"{name} / the spread between seeds"] = Estimate(times, *ends)
    return found


def accuracy_spread(runs: Mapping[str, Sequence[float]]) -> str:
    """Return how much seeds, precision and a last digit change the accuracy, as text for `say`."""
    seeds, gains, digit = _changes(runs)
    return (
        f"From seed to seed vanilla's accuracy varies by up to **{seeds:.2f}** points. With equal "
        f"seeds, mixed precision differs from vanilla by up to **{max(map(abs, gains)):.2f}** "
        f"points, and `nudged` by up to **{digit:.2f}**."
    )


def _changes(runs: Mapping[str, Sequence[float]]) -> tuple[float, list[float], float]:
    """Return the spread between seeds, mixed precision's gains, and a last digit's change."""
    vanilla = runs["vanilla"]
    gains = [a - v for a, v in zip(runs["amp"], vanilla, strict=True)]
    digit = max(abs(n - v) for n, v in zip(runs["nudged"], vanilla, strict=True))
    return max(vanilla) - min(vanilla), gains, digit
