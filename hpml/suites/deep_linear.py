"""The suite `deep-linear`: what each execution of a model costs, where nothing else costs much.

Hundreds of linear layers of four features on a batch of four, the forward only: a hand-written
module, `torch.nn.Sequential`, every execution of `hpml.symbolic`, the peer `pytorch-symbolic` if it
is installed, and on request `torch.compile` and the compiled kernel of `execution="numba"`, frozen
and not. All share the same weights, and are timed only after their outputs were found to agree.
"""

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
    """What the suite measured: one case for each number of layers."""

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
    """Measure the forward of deep linear networks.

    Args:
        layers: one case for each of these depths.
        settings: how to measure. The hand-written module is always measured; by default all but
            those below.
        features: the input is (batch, features) of float32.
        kernels: measure ``execution="numba"`` too, frozen and not: without gradients, on the CPU.
        changes: settings by their names, see `hpml.suites.forwards.ForwardSettings`.

    Raises:
        SuiteError: if a contender is unknown.
        BenchmarkError: if contenders disagree in what they compute, or measuring fails.

    >>> result = run([3], rounds=6, contenders=["sequential"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('handwritten', 'sequential')
    """
    settings = settings.changed(changes)
    if kernels and (settings.grad or settings.device != "cpu"):
        raise SuiteError(
            "kernels: expected no gradients and the CPU, which is all that the compiled kernel "
            f"knows, got grad={settings.grad} and device={settings.device}. Leave one of them out."
        )
    usual, asked = names(), names(compile=settings.compile, kernels=kernels)
    chosen = choose(
        settings.contenders,
        names(compile=True, kernels=True),
        usual=usual,
        always=(BASELINE, *set(asked).difference(usual)),
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
    """Return the contenders for one depth, all over the same layers."""
    from hpml.models import DeepLinear, linear_layers, sequential_deep_linear, symbolic_deep_linear

    device, seed = settings.device, settings.seed
    layers = linear_layers(depth, features, seed=seed, device=device)

    def symbolic(execution: str) -> torch.nn.Module:
        return symbolic_deep_linear(layers, features, execution)

    def connect(x: Any) -> Any:
        return functools.reduce(lambda value, layer: layer(value), layers, x)

    x = uniform_input((settings.batch, features), seed, device)

    def frozen() -> Callable[..., Any]:
        return symbolic_deep_linear(layers, features, KERNEL).compiled_inference()

    ways: dict[str, Callable[[], Any]] = {
        BASELINE: lambda: DeepLinear(layers),
        "sequential": lambda: sequential_deep_linear(layers),
        COMPILED: lambda: compiled(DeepLinear(layers)),
        peer.NAME: lambda: peer.model((features,), connect),
        **{name: functools.partial(symbolic, name) for name in (*EXECUTIONS, KERNEL)},
        KERNELS[1]: frozen,
    }
    return {name: functools.partial(ways[name](), x) for name in settings.contenders or ()}
