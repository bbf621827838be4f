"""The suite `building`: from `Input` to a ready model, microseconds per node, for growing graphs.

A model builder that looks at the whole graph for every new node needs four times as long for twice
the nodes. The time per node shows it: flat is linear, rising is not. The layers are made
beforehand, since making them is torch's work and the same for everyone.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.benchmark import Contender, ProcessContender
from hpml.benchmark.agreement import same_results
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.display.cases import cases_table
from hpml.benchmark.record import Parameters
from hpml.benchmark.sampling.contender import AnyContender
from hpml.suites import peer
from hpml.suites.choosing import choose
from hpml.suites.errors import SuiteError
from hpml.suites.options import add_shared_arguments
from hpml.suites.running import CasesResult, environment_line, notes_table, run_cases
from hpml.suites.settings import Settings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NODES = (1000, 10_000, 50_000)
DEFAULTS = Settings(rounds=9)
STRAIGHT = "codegen-no-loops"
"""Generated code without loops: a line of source for each node."""


@dataclass(frozen=True)
class BuildingResult(CasesResult):
    """What the suite measured."""

    def table(self) -> pd.DataFrame:
        """Return one row a case and contender, times in seconds per model, and µs per node."""
        frame = super().table()
        if len(frame):
            frame["us_per_node"] = frame["median"] / frame["nodes"] * 1e6
        return frame

    def plot(self) -> Figure:
        """Draw the time per node against the number of nodes."""
        from hpml.suites.pictures import draw_times

        title = "Building a model, from Input to ready; the layers were made beforehand"
        return draw_times(self.cases, "nodes", "time per item", title, "nodes", "µs per node")

    def _shown(self) -> list[Table]:
        title = f"Building, time per model ({environment_line(self.cases)})"
        return [cases_table(self.cases, title=title, per="nodes"), *notes_table(self.notes)]


def names() -> tuple[str, ...]:
    """Return the contenders' names; the peer comes first, as the baseline.

    >>> names()[0]
    'pytorch-symbolic'
    """
    from hpml.symbolic import EXECUTIONS

    return (peer.NAME, *EXECUTIONS, STRAIGHT)


def run(
    nodes: Sequence[int] = NODES,
    settings: Settings = DEFAULTS,
    *,
    features: int = 4,
    **changes: Any,
) -> BuildingResult:
    """Measure the building of deep linear models.

    Args:
        nodes: one case for each of these numbers of layers.
        settings: how to measure. The first of the contenders in the order of `names` is the
            baseline; by default all, without the peer where it is not installed.
        features: width of every layer.
        changes: settings by their names, see `hpml.suites.settings.Settings`.

    Raises:
        SuiteError: if a contender is unknown or not installed.

    >>> result = run([20], rounds=6, contenders=["ordered", "codegen"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.baseline
    'ordered'
    """
    settings = settings.changed(changes)
    chosen, notes = choose(settings.contenders, names())
    settings = replace(settings, contenders=chosen)

    def measure_case(parameters: Parameters) -> Comparison:
        count = int(parameters["nodes"] or 0)
        made = _contenders(chosen, count, features, settings.seed)
        return settings.compare(made, f"{count:,} nodes")

    cases = [{"nodes": count, "features": features, **settings.parameters()} for count in nodes]
    outcome = run_cases("building", cases, measure_case, settings)
    return BuildingResult(outcome.cases, (*outcome.notes, *notes))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hpml bench building``."""
    add_shared_arguments(parser, "building", run, "sizes to measure")


def _contenders(chosen: Sequence[str], count: int, features: int, seed: int) -> list[AnyContender]:
    from hpml.models import linear_layers, symbolic_deep_linear

    layers: list[Any] = list(linear_layers(count, features, seed=seed))
    made: list[AnyContender] = []
    for name in chosen:
        if name == peer.NAME:
            arguments = {"nodes": count, "features": features, "seed": seed}
            made.append(ProcessContender(name, "hpml.suites.peer.models:build_model", arguments))
        elif name == STRAIGHT:
            build: Callable[[], object] = functools.partial(_build_straight, layers, features)
            made.append(Contender(name, checked(name, build, layers, features)))
        else:
            build = functools.partial(symbolic_deep_linear, layers, features, name)
            made.append(Contender(name, checked(name, build, layers, features)))
    return made


def checked(
    name: str, build: Callable[[], object], layers: Sequence[Any], features: int
) -> Callable[[], object]:
    """Return `build`, once a model that it made was found to compute what it should."""
    import torch

    from hpml.models import DeepLinear
    from hpml.suites.deep_linear import example_input

    x = example_input(2, features)
    model = build()
    if not callable(model):
        raise SuiteError(f"{name}: expected it to build a model, got {describe(model)}.")
    with torch.no_grad():
        same_results()({"a hand-written module": DeepLinear(layers)(x), name: model(x)})
    return build


def _build_straight(layers: Sequence[Any], features: int) -> object:
    """Build with generated code, a line of source for each node and no loop."""
    from hpml.models import symbolic_deep_linear
    from hpml.symbolic import config

    before = config.CODEGEN_MIN_LOOP_LENGTH
    config.CODEGEN_MIN_LOOP_LENGTH = float("inf")
    try:
        return symbolic_deep_linear(layers, features, "codegen")
    finally:
        config.CODEGEN_MIN_LOOP_LENGTH = before
