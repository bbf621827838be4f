"""The small ConvNeXt with any activation: curves, training, published times."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.base import Table, format_bytes, style
from hpml.base.charts import Chart, Line, lines, name_rows, show
from hpml.base.page import Page
from hpml.base.tables import readable
from hpml.benchmark import Comparison
from hpml.course.files import published

if TYPE_CHECKING:
    import torch
    from matplotlib.axes import Axes

    from hpml.course.training import Training


Activation = Callable[[Any], Any]


def network(activation: Activation, *, seed: int = 0, **options: Any) -> torch.nn.Module:
    """Return the small ConvNeXt with a function as its activation."""
    from hpml.course.models.convnext import convnext

    return convnext("small", activation=activation, seed=seed, **options)


def one_block(activation: Activation) -> torch.nn.Module:
    """Return a ConvNeXt of one block in eval mode, which compiles in seconds."""
    import torch

    from hpml.course.models.convnext import Applied, ConvNeXt

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return ConvNeXt((32,), (1,), 10, lambda: Applied(activation), channels=3, patch=4).eval()


def transformer_block(activation: Activation) -> torch.nn.Module:
    """Return a transformer's block of 128 features with a function as its activation."""
    from hpml.course.models.convnext import Applied
    from hpml.course.models.transformer import TransformerBlock

    block = TransformerBlock(128, 4)
    block.gelu = Applied(activation)  # type: ignore[assignment]
    return block


def both_passes(activation: Activation, x: Any, above: Any) -> Callable[[], object]:
    """Return a function that computes an activation and its gradient, given that of its result."""
    import torch

    return lambda: torch.autograd.grad(activation(x), x, above)


def in_training(
    in_network: Mapping[str, int], in_block: Mapping[str, int], raced: Comparison
) -> Table:
    """Return what the ConvNeXt and the transformer's block keep, and the block's times."""
    gigabytes = {
        row["activation"]: row["gb"] for row in published("fastswish_training_memory")["rows"]
    }
    rows = [
        [
            name,
            format_bytes(size),
            size / in_network["ReLU"],
            gigabytes[name] / gigabytes["ReLU"] if name in gigabytes else None,
            in_block[name] / in_block["ReLU"],
            "baseline" if name == raced.baseline else str(raced.ratio(name)),
        ]
        for name, size in in_network.items()
    ]
    columns = ["activation", "ConvNeXt keeps", "/ ReLU's", "published: memory / ReLU's",
               "block keeps / ReLU's", f"block's time / {raced.baseline}'s"]  # fmt: skip
    return Table(columns, rows)


def trained(activation: Activation, epochs: int, seed: int = 0) -> Training:
    """Train the network on the digits with lab 12's recipe "vanilla"."""
    from hpml.course.datasets import digits
    from hpml.course.training import RECIPES, train

    model = network(activation, seed=seed, channels=1, patch=2)
    return train(model, digits(), RECIPES["vanilla"], epochs=epochs, seed=seed, device="cpu")


def beside_published(raced: Mapping[int, Comparison]) -> Table:
    """Return the times relative to GELU's by batch size, next to the document's."""
    rows: list[list[object]] = []
    for name in next(iter(raced.values())).names:
        rows.append([name])
        for batch, comparison in raced.items():
            own = "baseline" if name == comparison.baseline else str(comparison.ratio(name))
            rows[-1] += [own, _published(name).get(batch)]
    columns = ["activation"]
    for batch in raced:
        columns += [f"batch {batch}", f"published, batch {batch}"]
    hardware = published("convnext_inference")["hardware"]
    return Table(
        columns,
        rows,
        title="Time / time with eager GELU",
        caption=f"Published: {hardware}, a larger network, with FastSwish as operations.",
        formats=dict.fromkeys(columns[2::2], "{:.2f}".format),
    )


def _published(name: str) -> dict[int, float]:
    """Return the document's times of an activation relative to GELU's, by batch size."""
    activation, _, compiled = name.partition(", ")
    if compiled == "one kernel":
        return {}
    parts = ["torch.compile"] * bool(compiled) + [activation] * (activation != "GELU")
    rows = {row["changes"]: row for row in published("convnext_inference")["rows"]}
    row, base = rows[" + ".join(parts) or "vanilla (GELU)"], rows["vanilla (GELU)"]
    return {batch: row[f"bs{batch}_ms"] / base[f"bs{batch}_ms"] for batch in (1, 64)}


def draw_accuracies(accuracies: Mapping[str, Sequence[float]]) -> Page:
    """Draw each run's accuracy as a point, beside the document's single run on other pictures."""
    known = {row["changes"]: row["val_accuracy"] for row in published("convnext_inference")["rows"]}
    known["GELU"] = known["vanilla (GELU)"]
    single = {name: [known[name]] for name in accuracies}
    # One scale, so that distances of the one panel can be compared with those of the other.
    span = 1.3 * max(max(every) - min(every) for every in map(_flat, (accuracies, single))) or 1.0
    charts = (
        runs_chart(accuracies, span, title="Digits, on this machine"),
        runs_chart(single, span, title="Tiny ImageNet, published"),
    )
    caption = "A point is a run, each seed at a height of its own; a line is the mean of its row."
    return show(*charts, caption=caption, beside=True, width=8.0)


def _flat(accuracies: Mapping[str, Sequence[float]]) -> list[float]:
    return [one for found in accuracies.values() for one in found]


def runs_chart(accuracies: Mapping[str, Sequence[float]], span: float, *, title: str) -> Chart:
    """Return a row of points for each name with their mean; the x axis spans `span` percent."""

    def draw(ax: Axes) -> None:
        for row, found in enumerate(accuracies.values()):
            steps = [0.6 * ((place + 0.5) / len(found) - 0.5) for place in range(len(found))]
            ax.plot(found, [row + step for step in steps], "o", color=style.DATA, ms=7, alpha=0.8)
            if len(found) > 1:
                ax.vlines(statistics.mean(found), row - 0.36, row + 0.36, style.ACCENT, lw=2)
        name_rows(ax, list(accuracies))
        every = _flat(accuracies)
        middle = (min(every) + max(every)) / 2
        ax.set_xlim(middle - span / 2, middle + span / 2)

    text = "; ".join(
        f"{name}: {', '.join(f'{one:.1f}' for one in found)} %"
        for name, found in accuracies.items()
    )
    return Chart(draw, f"{text}.", 1.3 + 0.5 * len(accuracies), title=title, x="% correct")


def draw_curves(activations: Mapping[str, Callable[[Any], Any]]) -> Page:
    """Draw the values and the gradients of some activations between -6 and 6."""
    import torch

    values, slopes, notes = [], [], []
    # Different dashes keep two equal curves visible.
    for (name, activation), form in zip(activations.items(), ("-", "--", ":", "-"), strict=False):
        x = torch.linspace(-6, 6, 601, requires_grad=True)
        y = activation(x)
        (slope,) = torch.autograd.grad(y.sum(), x)
        at, y = x.detach().tolist(), y.detach().tolist()
        values.append(Line(name, at, y, form))
        slopes.append(Line(name, at, slope.tolist(), form))
        notes.append(f"{name} {readable(y[50], 3)}, gradient {readable(float(slope[50]), 3)}")
    return show(
        lines(values, title="Values", x="x", y=" ", ylim=(-0.6, 2), level=[0]),
        lines(slopes, title="Gradients", x="x", y=" ", level=[0]),
        beside=True,
        width=8.4,
        text=f"Values and gradients of {', '.join(activations)}. At -5: {'; '.join(notes)}.",
    )
