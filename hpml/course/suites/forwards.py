"""Shared code of the suites that time the forward pass of one network with several executions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hpml.base.environment import Value
from hpml.base.tables import Table
from hpml.course.files import published
from hpml.course.suites.published import PublishedBlock, published_table, published_times, ratios_to
from hpml.course.suites.running import CasesResult
from hpml.course.suites.settings import Settings, number, option

if TYPE_CHECKING:
    import torch
    from matplotlib.figure import Figure

BASELINE = "handwritten"
COMPILED = "torch.compile"

Forward = Callable[..., object]


@dataclass(frozen=True)
class ForwardResult(CasesResult):
    """The results of such a suite."""

    title: ClassVar[str]
    """Title of the table of measured times."""
    source: ClassVar[PublishedBlock]
    """The corresponding published figures."""
    axis: ClassVar[str]
    """Name of the suite's parameter in pictures."""

    def published(self) -> Table:
        """Return published and measured ratios to the hand-written module."""
        source, block = self.source, published(self.source.block)
        parameters = self.cases[0].parameters if self.cases else {}
        others = [
            f"{name} {parameters[name]}"
            for name in ("batch", "features", "grad")
            if name in parameters and parameters[name] != block.get(name, False)
        ]
        here = f" Here: {', '.join(others)}." if others else ""
        return published_table(
            ratios_to(BASELINE, published_times(source)),
            source.parameter,
            self.cases,
            "Published and measured time as a multiple of the hand-written module's",
            f"Published on {source.hardware}, batch {block['batch']}, {source.remark}: "
            f"{block['source']}.{here}",
        )

    def plot(self) -> Figure:
        """Draw time relative to the hand-written module."""
        from hpml.course.suites.pictures import draw_forwards

        return draw_forwards(self.cases, self.source, self.axis)

    def _shown(self) -> list[Table]:
        return self._tables(self.title, self.published())


@dataclass(frozen=True)
class ForwardSettings(Settings):
    """The settings of such a suite.

    Attributes:
        batch: rows of the input.
        grad: whether to record the autograd graph; there is no backward pass.
    """

    batch: int = number(4, "rows of the input")
    grad: bool = option(False, "record the autograd graph in the forward pass")

    def parameters(self) -> dict[str, Value]:
        """Return the settings that the results depend on, as parameters of a case."""
        return {"batch": self.batch, "grad": self.grad, **super().parameters()}


def compiled(model: torch.nn.Module, mode: str | None = None) -> Forward:
    """Return ``torch.compile(model, mode=mode)`` with an empty compilation cache."""
    import torch

    # Graphs of earlier cases would count towards the limit of recompilations.
    torch.compiler.reset()
    # All contenders compute in float32, so no advice to round products.
    warnings.filterwarnings("ignore", "TensorFloat32 tensor cores")
    return torch.compile(model, dynamic=False, mode=mode)


def uniform_input(
    shape: Sequence[int], seed: int = 0, device: str | torch.device = "cpu"
) -> torch.Tensor:
    """Return a float32 input, uniform in [0, 1), which is the same on every device."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    return torch.rand(tuple(shape), generator=generator).to(device)
