"""The suite `deep-linear`: what each way of running a model costs, where nothing else costs much.

Hundreds of linear layers of four features on a batch of four, the forward only: a hand-written
module, `torch.nn.Sequential`, every execution of `hpml.symbolic`, the peer `pytorch-symbolic` in a
process of its own, and `torch.compile` on request. All share the same weights, and are timed only
after their outputs were found to agree.
"""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base.environment import Value
from hpml.base.tables import Table
from hpml.benchmark import Contender, ProcessContender, compare
from hpml.benchmark.agreement import same_results
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.contender import AnyContender
from hpml.benchmark.record import Case, Parameters
from hpml.benchmark.table import cases_frame, cases_table
from hpml.suites import peer
from hpml.suites.errors import SuiteError
from hpml.suites.options import add_shared_arguments, positive, run_command
from hpml.suites.published import published_deep_linear
from hpml.suites.running import environment_line, run_cases

if TYPE_CHECKING:
    import pandas as pd
    import torch
    from matplotlib.figure import Figure

__all__ = ["BASELINE", "DeepLinearResult", "add_arguments", "example_input", "main", "names", "run"]

BASELINE = "handwritten"
COMPILED = "torch.compile"
LAYERS = (250, 500, 750, 1000)


@dataclass(frozen=True)
class DeepLinearResult:
    """What the suite measured.

    Attributes:
        cases: one for each number of layers.
        notes: sentences the reader should see: who is missing and why, damaged lines.
    """

    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()

    def table(self) -> pd.DataFrame:
        """Return one row a case and contender, times in seconds per forward."""
        return cases_frame(self.cases)

    def published(self) -> Table:
        """Return published beside measured figures, as ratios to the hand-written module."""
        return published_deep_linear(self.cases)

    def plot(self) -> Figure:
        """Draw throughput, and time relative to the hand-written module, against the layers."""
        from hpml.suites.pictures import draw_deep_linear

        return draw_deep_linear(self.cases)

    def __str__(self) -> str:
        parts = [str(self._measured()), str(self.published()), *self.notes]
        return "\n\n".join(parts)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        notes = (
            Table(["notes"], [[note] for note in self.notes])._repr_html_() if self.notes else ""
        )
        return self._measured()._repr_html_() + self.published()._repr_html_() + notes

    def _measured(self) -> Table:
        title = "Deep linear network, time per forward"
        where = environment_line(self.cases)
        return cases_table(self.cases, title=f"{title} ({where})" if where else title)


def names(*, compile: bool = False) -> tuple[str, ...]:
    """Return the contenders' names, in the order of tables and pictures.

    >>> names()[:2]
    ('handwritten', 'sequential')
    """
    from hpml.symbolic import EXECUTIONS

    compiled = (COMPILED,) if compile else ()
    return (BASELINE, "sequential", *EXECUTIONS, peer.NAME, *compiled)


def example_input(
    batch: int, features: int, seed: int = 0, device: str | torch.device = "cpu"
) -> torch.Tensor:
    """Return the input of all contenders, (batch, features) of float32, uniform in [0, 1).

    >>> example_input(4, 4).shape
    torch.Size([4, 4])
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    return torch.rand((batch, features), generator=generator).to(device)


def run(
    layers: Sequence[int] = LAYERS,
    *,
    batch: int = 4,
    features: int = 4,
    grad: bool = False,
    device: str = "cpu",
    threads: int = 1,
    rounds: int = 50,
    contenders: Sequence[str] | None = None,
    compile: bool = False,
    min_sample_time: float = 2e-3,
    garbage: bool = False,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = False,
    stop: Callable[[], bool] | None = None,
) -> DeepLinearResult:
    """Measure the forward of deep linear networks.

    Args:
        layers: one case for each of these depths.
        batch, features: the input is (batch, features) of float32.
        grad: record the graph for gradients during the forward; there is no backward.
        device: "cpu", or a CUDA device.
        threads: size of torch's thread pool.
        rounds: interleaved rounds a case.
        contenders: names, see `names`; the hand-written module is always measured. By default
            all but `torch.compile`, and without the peer where it is not installed.
        compile: measure `torch.compile` too; its first call takes seconds to a minute.
        min_sample_time: seconds that one sample should last.
        garbage: leave the garbage collector on during samples.
        seed: of weights, input and order.
        out, resume: see `hpml.suites.running.run_cases`.
        progress: show a progress bar.
        stop: asked between rounds; once it says True, what was measured is returned.

    Raises:
        SuiteError: if a contender is unknown or not installed.
        BenchmarkError: if contenders disagree in what they compute, or measuring fails.

    >>> result = run([3], rounds=6, contenders=["sequential"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('handwritten', 'sequential')
    """
    chosen, notes = _choose(contenders, compile=compile)
    shared: dict[str, Value] = {
        "batch": batch,
        "features": features,
        "grad": grad,
        "device": device,
        "threads": threads,
        "rounds": rounds,
        "min_sample_time": min_sample_time,
        "garbage": garbage,
        "seed": seed,
        "contenders": " ".join(chosen),
    }

    def measure_case(parameters: Parameters) -> Comparison:
        import torch

        depth = int(parameters["layers"] or 0)
        with torch.set_grad_enabled(grad):
            return compare(
                _contenders(chosen, depth, batch, features, grad=grad, device=device, seed=seed),
                baseline=BASELINE,
                rounds=rounds,
                min_sample_time=min_sample_time,
                threads=threads,
                device=device,
                garbage=garbage,
                seed=seed,
                progress=f"{depth} layers" if progress else False,
                stop=stop,
                check=same_results(),
            )

    cases = [{"layers": depth, **shared} for depth in layers]
    outcome = run_cases("deep-linear", cases, measure_case, out=out, resume=resume, stop=stop)
    return DeepLinearResult(outcome.cases, (*outcome.notes, *notes))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hpml bench deep-linear``."""
    parser.add_argument(
        "--layers",
        type=positive,
        nargs="+",
        default=list(LAYERS),
        metavar="N",
        help="depths to measure (default: 250 500 750 1000)",
    )
    parser.add_argument("--batch", type=positive, default=4, metavar="N", help="rows of the input")
    parser.add_argument(
        "--features", type=positive, default=4, metavar="N", help="width of every layer"
    )
    parser.add_argument(
        "--grad", action="store_true", help="record the graph for gradients during the forward"
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1 (default: %(default)s)")
    parser.add_argument(
        "--compile", action="store_true", help="torch.compile too; takes a minute to begin"
    )
    add_shared_arguments(parser, "deep-linear", rounds=50)


def main(arguments: argparse.Namespace) -> int:
    """Run the suite for the command line and return the exit code."""
    return run_command(
        arguments,
        lambda out: run(
            arguments.layers,
            batch=arguments.batch,
            features=arguments.features,
            grad=arguments.grad,
            device=arguments.device,
            threads=arguments.threads,
            rounds=arguments.rounds,
            contenders=arguments.contenders,
            compile=arguments.compile,
            garbage=arguments.gc,
            out=out,
            resume=arguments.resume,
            progress=True,
        ),
    )


def _choose(
    wanted: Sequence[str] | None, *, compile: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the contenders to measure, in order, and notes on those that are missing."""
    known = names(compile=True)
    unknown = [name for name in wanted or () if name not in known]
    if unknown:
        raise SuiteError(
            f"contenders: expected some of {', '.join(known)}, got {', '.join(unknown)}."
        )
    asked = set(wanted if wanted is not None else names()) | {BASELINE}
    if compile:
        asked.add(COMPILED)
    missing = peer.how_to_install()
    if peer.NAME in asked and missing is not None:
        if wanted is not None:
            raise SuiteError(f"contenders: {peer.NAME} cannot be measured: {missing}.")
        asked.discard(peer.NAME)
        return tuple(n for n in known if n in asked), (f"{peer.NAME} is missing: {missing}.",)
    return tuple(name for name in known if name in asked), ()


def _contenders(
    chosen: Sequence[str],
    depth: int,
    batch: int,
    features: int,
    *,
    grad: bool,
    device: str,
    seed: int,
) -> list[AnyContender]:
    """Return the contenders for one depth, all over the same layers."""
    import torch

    from hpml.models import (
        DeepLinear,
        linear_layers,
        sequential_deep_linear,
        symbolic_deep_linear,
    )
    from hpml.symbolic import optimize_module_calls

    layers = linear_layers(depth, features, seed=seed, device=device)
    x = example_input(batch, features, seed, device)
    made: list[AnyContender] = []
    for name in chosen:
        if name == peer.NAME:
            arguments: dict[str, Value] = {
                "n_layers": depth,
                "features": features,
                "batch": batch,
                "grad": grad,
                "device": device,
                "seed": seed,
            }
            made.append(ProcessContender(name, "hpml.suites.peer:build_forward", arguments))
            continue
        if name == BASELINE:
            model: Callable[..., object] = DeepLinear(layers)
        elif name == "sequential":
            model = sequential_deep_linear(layers)
        elif name == COMPILED:
            # Graphs of earlier cases would count against the number of recompilations allowed.
            torch.compiler.reset()
            model = torch.compile(DeepLinear(layers))
        else:
            model = symbolic_deep_linear(layers, features, name)
        made.append(Contender(name, functools.partial(model, x)))
    # Symbolic values that someone still holds would slow down every module of this process.
    optimize_module_calls()
    return made
