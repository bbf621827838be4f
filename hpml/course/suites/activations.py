"""The suite `activations`: forward and backward pass of FastSwish and PyTorch's activations.

The published FastSwish used twice ReLU's memory and was slower compiled than eager. Here it is
composed of operators, has its own backward pass, or is one kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpml.base.charts import Line, lines
from hpml.base.tables import Table
from hpml.benchmark.agreement import same_results
from hpml.course.suites.running import CasesResult, run_together
from hpml.course.suites.settings import Settings
from hpml.course.suites.suite import Suite

if TYPE_CHECKING:
    import torch
    from matplotlib.figure import Figure

BASELINE, KERNEL, COMPOSITE = "hardswish", "fastswish-kernel", "fastswish-composite"
FAST_SWISH = (COMPOSITE, "fastswish-function", KERNEL)
NAMES = (BASELINE, "relu", "gelu", *FAST_SWISH)
SIZES = (4, 64, 256, 1024, 4096, 16384)
DEFAULTS = Settings()


@dataclass(frozen=True)
class ActivationsResult(CasesResult):
    """The results of the suite, and the bytes per number that each activation keeps."""

    kept: Mapping[str, float] = field(default_factory=dict)

    def goals(self) -> Table:
        """Return FastSwish's ratios with their goals."""
        rows: list[list[object]] = []
        for case in self.cases:
            comparison, size = case.comparison, int(case.parameters["kibibytes"] or 0)
            for base, goal in ((BASELINE, 1.5 if size >= 256 else 3.0), (COMPOSITE, 1.0)):
                if {KERNEL, base} <= set(comparison.names):
                    ratio = str(comparison.ratio(KERNEL, base))
                    rows.append([f"{KERNEL} / {base}, {size} KiB", ratio, goal])
        if KERNEL in self.kept:
            ratio = f"{self.kept[KERNEL] / self.kept['relu']:.2f}"
            rows.append([f"bytes kept, {KERNEL} / relu", ratio, 1.0])
        return Table(
            ["ratio", "measured", "at most"],
            rows,
            title="FastSwish's goals",
            formats={"at most": "{:.3f}".format},
        )

    def plot(self) -> Figure:
        """Draw each activation's time as a multiple of HardSwish's."""
        from hpml.course.suites.pictures import figure_of

        drawn = []
        for name in NAMES:
            cases = [case for case in self.cases if name in case.comparison.names]
            sizes = [int(case.parameters["kibibytes"] or 0) for case in cases]
            ratios = [case.comparison.ratio(name).value for case in cases]
            if cases:
                drawn.append(Line(name, sizes, ratios, marker="o"))
        title = "Forward and backward, time / HardSwish's"
        return figure_of(lines(drawn, title=title, x="KiB", y="ratio", log="xy"))

    def _shown(self) -> list[Table]:
        return self._tables("Activations, forward and backward", self.goals())


def run(kibibytes: Sequence[int] = SIZES, **changes: Any) -> ActivationsResult:
    """Measure forward and backward of HardSwish and the other contenders, one case per input size.

    >>> result = run([1], rounds=6, contenders=["relu"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('hardswish', 'relu')
    """
    settings = DEFAULTS.changed(changes)
    names = _names(settings.device)
    settings = settings.choose(BASELINE, names)
    outcome = run_together(
        "activations",
        "kibibytes",
        kibibytes,
        _contenders,
        settings,
        grad=True,
        check=_check_fast_swish,
    )
    missing = [f"{name} has no kernel on this device." for name in NAMES if name not in names]
    kept = _kept(settings.contenders or (), settings.device)
    return ActivationsResult(outcome.cases, (*outcome.notes, *missing), kept)


SUITE = Suite("activations", run, DEFAULTS, "sizes of the input in KiB")


def _names(device: str) -> tuple[str, ...]:
    """Return the contenders of a device, without the kernel where there is none."""
    import torch

    from hpml.course.models import activations

    there = activations.has_kernel(torch.empty(0, device=device))
    return tuple(name for name in NAMES if there or name != KERNEL)


def _activations() -> dict[str, Callable[[torch.Tensor], torch.Tensor]]:
    import torch
    from torch.nn import functional

    from hpml.course.models import activations

    functions = (functional.hardswish, torch.relu, functional.gelu,
                 activations.fast_swish_composite, activations.FastSwishFunction.apply,
                 activations.fast_swish)  # fmt: skip
    return dict(zip(NAMES, functions, strict=True))


def _contenders(settings: Settings, size: int) -> dict[str, Callable[[], object]]:
    import torch

    generator = torch.Generator().manual_seed(settings.seed)
    x, grad = torch.randn(2, size * 2**8, generator=generator).to(settings.device)
    x.requires_grad_()
    activations = _activations()

    def forward_and_backward(name: str) -> list[torch.Tensor]:
        y = activations[name](x)
        return [y, *torch.autograd.grad(y, x, grad)]

    names = settings.contenders or ()
    return {name: functools.partial(forward_and_backward, name) for name in names}


def _check_fast_swish(results: Mapping[str, object]) -> None:
    variants = {name: result for name, result in results.items() if name in FAST_SWISH}
    if variants:
        same_results(1e-4, 1e-6)(variants)


def _kept(names: Sequence[str], device: str) -> dict[str, float]:
    import torch

    from hpml.profiling import saved_tensors

    x, activations = torch.randn(1000, device=device, requires_grad=True), _activations()
    return {name: saved_tensors(activations[name], x).total / 1000 for name in {*names, "relu"}}
