"""What the suites share that time the forward of one network, run in several ways."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hpml.base.environment import Value
from hpml.base.tables import Table
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.tables import cases_table
from hpml.suites.options import SuiteResult, add_shared_arguments, positive
from hpml.suites.published import PublishedBlock, published_table
from hpml.suites.running import CasesResult, environment_line, notes_table
from hpml.suites.settings import Settings

if TYPE_CHECKING:
    import torch
    from matplotlib.figure import Figure

BASELINE = "handwritten"
COMPILED = "torch.compile"

Forward = Callable[..., object]


@dataclass(frozen=True)
class ForwardResult(CasesResult):
    """What a suite of forwards measured."""

    title: ClassVar[str]
    """What stands above the table of measured times."""
    source: ClassVar[PublishedBlock]
    """The figures that were published of the same."""
    axis: ClassVar[str]
    """What the suite's parameter is called in a picture."""

    def published(self) -> Table:
        """Return published beside measured figures, as ratios to the hand-written module."""
        return published_table(self.source, self.cases)

    def plot(self) -> Figure:
        """Draw time relative to the hand-written module."""
        from hpml.suites.pictures import draw_forwards

        return draw_forwards(self.cases, self.source, self.axis)

    def _shown(self) -> list[Table]:
        where = environment_line(self.cases)
        title = f"{self.title} ({where})" if where else self.title
        measured = cases_table(self.cases, title=title)
        return [measured, self.published(), *notes_table(self.notes)]


@dataclass(frozen=True)
class ForwardSettings(Settings):
    """What suites of forwards also accepts.

    Attributes:
        batch: rows of the input.
        grad: record the graph for gradients during the forward; there is no backward.
        compile: measure `torch.compile` too; its first call takes seconds to minutes.
    """

    batch: int = 4
    grad: bool = False
    compile: bool = False

    def parameters(self) -> dict[str, Value]:
        """Return what the results depend on, for the parameters of a case."""
        return {"batch": self.batch, "grad": self.grad, **super().parameters()}

    def compare_forwards(
        self,
        make: Callable[[], Mapping[str, Callable[[], object]]],
        label: str,
        check: Callable[[Mapping[str, object]], None],
    ) -> Comparison:
        """Build the contenders of a case and time them, with gradients on or off in both.

        Args:
            make: builds them.
            label: stands before the progress bar.
            check: asked whether they agree.
        """
        import torch

        with torch.set_grad_enabled(self.grad):
            return self.compare(make(), label, baseline=BASELINE, check=check)


def compiled(model: torch.nn.Module) -> Forward:
    """Return ``torch.compile(model)``, compiled as if it were the first."""
    import torch

    # Graphs of earlier cases would count against the number of recompilations allowed.
    torch.compiler.reset()
    forward: Forward = torch.compile(model)
    return forward


def uniform_input(
    shape: Sequence[int], seed: int = 0, device: str | torch.device = "cpu"
) -> torch.Tensor:
    """Return the input of all contenders, float32, uniform in [0, 1), drawn on the CPU."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    return torch.rand(tuple(shape), generator=generator).to(device)


def add_forward_arguments(
    parser: argparse.ArgumentParser, suite: str, run: Callable[..., SuiteResult], what: str
) -> None:
    """Declare the options that suites of forwards have beyond those of every suite."""
    add_shared_arguments(parser, suite, run, what)
    parser.add_argument("--batch", type=positive, default=4, metavar="N", help="rows of the input")
    parser.add_argument(
        "--grad", action="store_true", help="record the graph for gradients during the forward"
    )
    parser.add_argument(
        "--compile", action="store_true", help="also torch.compile; takes a minute to start"
    )
