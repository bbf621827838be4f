"""The suite `convnext-infer`: a ConvNeXt in eval mode, with each activation, eager and compiled.

The activations change what is computed, so that only the two ways of one activation must agree. The
document measured the large network at 224 pixels on a GPU; on a CPU the small one runs at 64.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hpml.base.files import published
from hpml.base.tables import Table
from hpml.benchmark.agreement import same_results
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.record import Parameters
from hpml.benchmark.tables import cases_table
from hpml.suites.forwards import compiled, uniform_input
from hpml.suites.options import add_shared_arguments
from hpml.suites.running import CasesResult, environment_line, notes_table, run_cases
from hpml.suites.settings import Settings, SuiteError, choose

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BATCHES = (64, 1)
BASELINE = "gelu"
COMPILED = "compiled "
"""Stands before the activation."""
BLOCK = "convnext_inference"
ACTIVATION_OF = {"HardSwish": "hardswish", "ReLU": "relu", "FastSwish": "fastswish"}
"""What the published table calls an activation other than GELU, its vanilla one."""
RESOLUTIONS = {"tiny-imagenet": 224, "small": 64}


@dataclass(frozen=True)
class InferSettings(Settings):
    """What this suite also accepts."""

    compile: bool = False
    size: str | None = None


DEFAULTS = InferSettings(min_sample_time=1e-2)


@dataclass(frozen=True)
class InferResult(CasesResult):
    """What the suite measured: one case for each batch size."""

    def published(self) -> Table:
        """Return published beside measured, as ratios to eager GELU at the same batch size."""
        block, times = published(BLOCK), published_times()
        measured = {int(case.parameters["batch"] or 0): case.comparison for case in self.cases}
        rows = []
        for batch in measured or BATCHES:
            for name, ms in times.items():
                own = measured.get(batch)
                here = own.ratio(name).value if own is not None and name in own.names else None
                there = ms[batch] / times[BASELINE][batch] if batch in ms else None
                if name != BASELINE and (there is not None or here is not None):
                    rows.append((name, batch, there, here))
        head = ("contender", "batch", "published", "measured here")
        return Table(
            head,
            rows,
            title="Published beside measured: time as a multiple of eager GELU's",
            caption=f"Published on {block['hardware']}: 18 million parameters at 224 pixels; "
            f"{block['source']}. Here: {environment_line(self.cases)}.",
            formats=dict.fromkeys(head[2:], "{:.3f}".format),
        )

    def plot(self) -> Figure:
        """Draw the time of each contender as a multiple of eager GELU's."""
        from hpml.base import style
        from hpml.suites.pictures import expect_some

        expect_some(self.cases)
        fig, axes = style.figure(1, len(self.cases), width=5.5 * len(self.cases), height=4.4)
        for ax, case in zip(axes if len(self.cases) > 1 else [axes], self.cases, strict=True):
            case.comparison.plot(ax)
            ax.set_title(f"batch {case.parameters['batch']}")
        style.caption(fig, f"{environment_line(self.cases)}.")
        return fig

    def _shown(self) -> list[Table]:
        title = f"ConvNeXt, time per forward ({environment_line(self.cases)})"
        return [cases_table(self.cases, title=title), self.published(), *notes_table(self.notes)]


def names(*, compile: bool = True) -> tuple[str, ...]:
    """Return the contenders' names, in the order of tables and pictures."""
    from hpml.models import ACTIVATIONS

    ways = ("", COMPILED) if compile else ("",)
    return tuple(way + name for way in ways for name in ACTIVATIONS)


def run(
    batches: Sequence[int] = BATCHES, settings: InferSettings = DEFAULTS, **changes: Any
) -> InferResult:
    """Measure the forward of a ConvNeXt in eval mode, without gradients.

    Args:
        batches: one case for each of these numbers of pictures.
        settings: how to measure. Eager GELU is always measured; by default each activation, and
            with ``compile`` each compiled as well.
        changes: settings by their names, see `InferSettings`.

    Raises:
        SuiteError: if a contender or size is unknown, or the device is not there.
        BenchmarkError: if a compiled network computes something else than the eager one.

    >>> result = run([1], rounds=6, contenders=["relu"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('gelu', 'relu')
    """
    settings = settings.changed(changes)
    usual = names(compile=settings.compile)
    chosen = choose(settings.contenders, names(), usual=usual, always=(BASELINE,))
    size = settings.size or ("tiny-imagenet" if settings.device.startswith("cuda") else "small")
    if size not in RESOLUTIONS:
        raise SuiteError(f"size: expected one of {', '.join(RESOLUTIONS)}, got {size!r}.")
    settings = replace(settings, contenders=chosen, size=size)

    def measure_case(parameters: Parameters) -> Comparison:
        import torch

        batch = int(parameters["batch"] or 0)
        with torch.no_grad():
            return settings.compare(
                _contenders(batch, settings),
                f"batch {batch}",
                baseline=BASELINE,
                check=_two_ways_agree,
            )

    shared = {**settings.parameters(), "size": size}
    cases = [{"batch": batch, **shared} for batch in batches]
    outcome = run_cases("convnext-infer", cases, measure_case, settings)
    return InferResult(outcome.cases, outcome.notes)


def _contenders(batch: int, settings: InferSettings) -> dict[str, Callable[[], object]]:
    from hpml.models import convnext

    size = settings.size or ""
    x = uniform_input((batch, 3, *(RESOLUTIONS[size],) * 2), settings.seed, settings.device)
    classes = 200 if size == "tiny-imagenet" else 10
    made: dict[str, Callable[[], object]] = {}
    for name in settings.contenders or ():
        activation = name.removeprefix(COMPILED)
        model = convnext(size, classes, activation, seed=settings.seed).eval().to(settings.device)
        forward = compiled(model) if name.startswith(COMPILED) else model
        made[name] = functools.partial(forward, x)
    return made


def _two_ways_agree(results: Any) -> None:
    check = same_results(1e-2, 1e-2)  # kernels that add in another order, and TF32 on a GPU
    for name in results:
        if name.startswith(COMPILED) and name.removeprefix(COMPILED) in results:
            check({way: results[way] for way in (name.removeprefix(COMPILED), name)})


def published_times() -> dict[str, dict[int, float]]:
    """Return the published milliseconds by contender and batch size."""
    times = {}
    for row in published(BLOCK)["rows"]:
        way, _, kind = row["changes"].rpartition(" + ")
        plain = {"torch.compile": COMPILED + BASELINE, "vanilla (GELU)": BASELINE}
        name = plain.get(row["changes"]) or (COMPILED if way else "") + ACTIVATION_OF[kind]
        times[name] = {64: row["bs64_ms"], 1: row["bs1_ms"]}
    return times


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hpml bench convnext-infer``."""
    add_shared_arguments(parser, "convnext-infer", run, "numbers of pictures at once")
    parser.add_argument("--compile", action="store_true", help="also compiled; takes minutes")
    parser.add_argument("--size", choices=tuple(RESOLUTIONS), help="small (CPU), tiny-imagenet")
