"""The suite `deep-linear`: the overhead of each execution, with hundreds of tiny linear layers."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hpml.base.executions import EXECUTIONS, KERNEL
from hpml.benchmark.agreement import same_results
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.record import Parameters
from hpml.suites import peer
from hpml.suites.forwards import (
    BASELINE,
    COMPILED,
    ForwardResult,
    ForwardSettings,
    add_forward_arguments,
    compiled,
    uniform_input,
)
from hpml.suites.options import positive
from hpml.suites.published import DEEP_LINEAR
from hpml.suites.running import run_cases
from hpml.suites.settings import SuiteError, choose

if TYPE_CHECKING:
    import torch

KERNELS = (KERNEL, f"{KERNEL}-frozen")
DEFAULTS = ForwardSettings(rounds=50)
LAYERS = (250, 500, 750, 1000)


class DeepLinearResult(ForwardResult):
    """The results of the suite, one case per number of layers."""

    title = "Deep linear network, time per forward"
    source = DEEP_LINEAR
    axis = "layers"


def names(*, compile: bool = False, kernels: bool = False) -> tuple[str, ...]:
    """Return the contenders' names, in the order of tables and pictures."""
    on_request = (*([COMPILED] if compile else []), *(KERNELS if kernels else []))
    return (BASELINE, "sequential", *EXECUTIONS, *peer.names(), *on_request)


def run(
    layers: Sequence[int] = LAYERS,
    settings: ForwardSettings = DEFAULTS,
    *,
    features: int = 4,
    kernels: bool = False,
    **changes: Any,
) -> DeepLinearResult:
    """Measure the forward pass of the hand-written module and the others, one case per depth.

    `kernels` adds ``execution="numba"`` with current and with frozen weights.

    >>> result = run([3], rounds=6, contenders=["sequential"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('handwritten', 'sequential')
    """
    settings = settings.changed(changes)
    if kernels and (settings.grad or settings.device != "cpu"):
        raise SuiteError(
            "kernels: the compiled kernel supports only the CPU without gradients, got "
            f"grad={settings.grad} and device={settings.device}. Leave one of them out."
        )
    usual, requested = names(), names(compile=settings.compile, kernels=kernels)
    chosen = choose(
        settings.contenders,
        names(compile=True, kernels=True),
        usual=usual,
        always=(BASELINE, *set(requested).difference(usual)),
    )
    settings = replace(settings, contenders=chosen)

    def measure_case(parameters: Parameters) -> Comparison:
        depth = int(parameters["layers"] or 0)
        make = functools.partial(_contenders, depth, features, settings)
        return settings.compare_forwards(make, f"{depth} layers", same_results())

    shared = {"features": features, **settings.parameters()}
    cases = [{"layers": depth, **shared} for depth in layers]
    outcome = run_cases("deep-linear", cases, measure_case, settings)
    return DeepLinearResult(outcome.cases, (*outcome.notes, *peer.notes()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hpml bench deep-linear``."""
    add_forward_arguments(parser, "deep-linear", run, "depths to measure")
    parser.add_argument(
        "--features", type=positive, default=4, metavar="N", help="width of every layer"
    )
    parser.add_argument(
        "--kernels",
        action="store_true",
        help="also the compiled kernel, with current and with frozen weights",
    )


def _contenders(
    depth: int, features: int, settings: ForwardSettings
) -> dict[str, Callable[[], object]]:
    """Return the contenders for one depth, with the same layers."""
    from torch import nn

    from hpml.models import DeepLinear, linear_layers, symbolic_deep_linear

    device, seed = settings.device, settings.seed
    layers = linear_layers(depth, features, seed=seed, device=device)

    def symbolic(execution: str) -> torch.nn.Module:
        return symbolic_deep_linear(layers, features, execution)

    def connect(x: Any) -> Any:
        return functools.reduce(lambda value, layer: layer(value), layers, x)

    x = uniform_input((settings.batch, features), seed, device)

    def frozen() -> Callable[..., Any]:
        return symbolic_deep_linear(layers, features, KERNEL).compiled_inference()

    builders: dict[str, Callable[[], Any]] = {
        BASELINE: lambda: DeepLinear(layers),
        "sequential": lambda: nn.Sequential(*layers),
        COMPILED: lambda: compiled(DeepLinear(layers)),
        peer.NAME: lambda: peer.model(x, connect),
        **{name: functools.partial(symbolic, name) for name in (*EXECUTIONS, KERNEL)},
        KERNELS[1]: frozen,
    }
    return {name: functools.partial(builders[name](), x) for name in settings.contenders or ()}
