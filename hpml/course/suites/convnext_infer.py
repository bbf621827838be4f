"""The suite `convnext-infer`: a ConvNeXt in eval mode, with each activation, eager and compiled.

Results differ between activations, so only the eager and the compiled one of each are compared. The
published figures are for the large network at 224 pixels on a GPU; a CPU runs the small one at 64.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.benchmark.agreement import same_results
from hpml.benchmark.comparison import Comparison
from hpml.course.files import published
from hpml.course.suites.forwards import compiled, uniform_input
from hpml.course.suites.published import published_table, ratios_to
from hpml.course.suites.running import CasesResult, environment_line, run_cases
from hpml.course.suites.settings import Settings, SuiteError, option
from hpml.course.suites.suite import Suite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BATCHES = (64, 1)
BASELINE = "gelu"
COMPILED = "compiled "
"""Prefix of the activation in a contender's name."""
BLOCK = "convnext_inference"
ACTIVATION_OF = {"HardSwish": "hardswish", "ReLU": "relu", "FastSwish": "fastswish"}
"""Our names of the activations in the published table, other than GELU."""
RESOLUTIONS = {"tiny-imagenet": 224, "small": 64}


@dataclass(frozen=True)
class InferSettings(Settings):
    """The settings of this suite."""

    size: str | None = option(
        None,
        "size of the network (default: tiny-imagenet on a GPU, otherwise small)",
        choices=tuple(RESOLUTIONS),
    )


DEFAULTS = InferSettings(min_sample_time=1e-2)


@dataclass(frozen=True)
class InferResult(CasesResult):
    """The results of the suite, one case per batch size."""

    def published(self) -> Table:
        """Return published and measured ratios to eager GELU at the same batch size."""
        block = published(BLOCK)
        return published_table(
            ratios_to(BASELINE, published_times()),
            "batch",
            self.cases,
            "Published and measured time as a multiple of eager GELU's",
            f"Published on {block['hardware']}: 18 million parameters at 224 pixels; "
            f"{block['source']}. Here: {environment_line(self.cases)}.",
        )

    def plot(self) -> Figure:
        """Draw the time of each contender as a multiple of eager GELU's."""
        from hpml.base import style

        fig, axes = style.figure(1, len(self.cases), width=5.5 * len(self.cases), height=4.4)
        for ax, case in zip(axes if len(self.cases) > 1 else [axes], self.cases, strict=True):
            case.comparison.plot(ax)
            ax.set_title(f"batch {case.parameters['batch']}")
        style.caption(fig, f"{environment_line(self.cases)}.")
        return fig

    def _shown(self) -> list[Table]:
        return self._tables("ConvNeXt, time per forward", self.published())


def run(batches: Sequence[int] = BATCHES, **changes: Any) -> InferResult:
    """Measure the forward pass with eager GELU and the other contenders, one case per batch size.

    >>> result = run([1], rounds=6, contenders=["relu"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('gelu', 'relu')
    """
    from hpml.course.models import ACTIVATIONS

    settings = DEFAULTS.changed(changes)
    eager = tuple(ACTIVATIONS)
    settings = settings.choose(BASELINE, (*eager, *(COMPILED + name for name in eager)), eager)
    size = settings.size or ("tiny-imagenet" if settings.on_gpu else "small")
    if size not in RESOLUTIONS:
        raise SuiteError(
            object="size",
            expected=f"one of {', '.join(RESOLUTIONS)}",
            received=describe(size),
            remedy="Choose one of them, or leave it out.",
        )

    make = functools.partial(_contenders, size, settings)

    def measure(batch: int) -> Comparison:
        import torch

        label, check = f"batch {batch}", _check_compiled
        with torch.no_grad():
            return settings.compare_sizes(make, [batch], label, check=check)[batch]

    outcome = run_cases("convnext-infer", "batch", batches, measure, settings, size=size)
    return InferResult(outcome.cases, outcome.notes)


SUITE = Suite("convnext-infer", run, DEFAULTS, "batch sizes")


def _contenders(size: str, settings: Settings, batch: int) -> dict[str, Callable[[], object]]:
    from hpml.course.models import convnext

    x = uniform_input((batch, 3, *(RESOLUTIONS[size],) * 2), settings.seed, settings.device)
    classes = 200 if size == "tiny-imagenet" else 10
    contenders: dict[str, Callable[[], object]] = {}
    for name in settings.contenders or ():
        activation = name.removeprefix(COMPILED)
        model = convnext(size, classes, activation, seed=settings.seed).eval().to(settings.device)
        forward = compiled(model) if name.startswith(COMPILED) else model
        contenders[name] = functools.partial(forward, x)
    return contenders


def _check_compiled(results: Any) -> None:
    check = same_results(1e-2, 1e-2)  # kernels add in different orders; a GPU uses TF32
    for name in results:
        if name.startswith(COMPILED) and name.removeprefix(COMPILED) in results:
            check({each: results[each] for each in (name.removeprefix(COMPILED), name)})


def published_times() -> dict[str, dict[int, float]]:
    """Return the published milliseconds by contender and batch size."""
    times = {}
    for row in published(BLOCK)["rows"]:
        compiler, _, activation = row["changes"].rpartition(" + ")
        of_gelu = {"torch.compile": COMPILED + BASELINE, "vanilla (GELU)": BASELINE}
        prefix = COMPILED if compiler else ""
        name = of_gelu.get(row["changes"]) or prefix + ACTIVATION_OF[activation]
        times[name] = {64: row["bs64_ms"], 1: row["bs1_ms"]}
    return times
