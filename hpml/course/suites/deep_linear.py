"""The suite `deep-linear`: the overhead of each execution, with hundreds of tiny linear layers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base.environment import Value
from hpml.benchmark.agreement import same_results
from hpml.course.suites import peer
from hpml.course.suites.forwards import (
    BASELINE,
    COMPILED,
    ForwardResult,
    ForwardSettings,
    compiled,
    uniform_input,
)
from hpml.course.suites.published import DEEP_LINEAR
from hpml.course.suites.running import run_together
from hpml.course.suites.settings import number
from hpml.course.suites.suite import Suite

if TYPE_CHECKING:
    import torch

KERNELS = ("numba", "numba-frozen")
LAYERS = (250, 500, 750, 1000)


class DeepLinearResult(ForwardResult):
    """The results of the suite, one case per number of layers."""

    title = "Deep linear network, time per forward"
    source = DEEP_LINEAR
    axis = "layers"


@dataclass(frozen=True)
class DeepLinearSettings(ForwardSettings):
    """The settings of the suite; `features` is the width of every layer."""

    features: int = number(4, "width of every layer")

    def parameters(self) -> dict[str, Value]:
        """Return the settings that the results depend on, as parameters of a case."""
        return {"features": self.features, **super().parameters()}


DEFAULTS = DeepLinearSettings(rounds=50)


def run(layers: Sequence[int] = LAYERS, **changes: Any) -> DeepLinearResult:
    """Measure the forward pass of the hand-written module and the others, one case per depth.

    ``also=KERNELS`` adds ``execution="numba"`` with current and with frozen weights.

    >>> result = run([3], rounds=6, contenders=["sequential"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('handwritten', 'sequential')
    """
    from hpml.symbolic import EXECUTIONS

    settings = DEFAULTS.changed(changes)
    usual = (BASELINE, "sequential", *EXECUTIONS, *peer.names())
    # The compiled kernel supports only the CPU without gradients.
    kernels = () if settings.grad or settings.on_gpu else KERNELS
    settings = settings.choose(BASELINE, (*usual, COMPILED, *kernels), usual)

    outcome = run_together(
        "deep-linear",
        "layers",
        layers,
        _contenders,
        settings,
        grad=settings.grad,
        check=same_results(),
    )
    return DeepLinearResult(outcome.cases, (*outcome.notes, *peer.notes()))


SUITE = Suite("deep-linear", run, DEFAULTS, "depths to measure")


def _contenders(settings: DeepLinearSettings, depth: int) -> dict[str, Callable[[], object]]:
    """Return the contenders for one depth, with the same layers."""
    from torch import nn

    from hpml.course.models import DeepLinear, linear_layers, symbolic_deep_linear
    from hpml.symbolic.execution import BY_NAME, KERNEL

    device, seed, features = settings.device, settings.seed, settings.features
    layers = linear_layers(depth, features, seed=seed, device=device)

    def symbolic(execution: str) -> torch.nn.Module:
        return symbolic_deep_linear(layers, features, execution)

    def connect(x: Any) -> Any:
        return functools.reduce(lambda value, layer: layer(value), layers, x)

    x = uniform_input((settings.batch, features), seed, device)

    def frozen() -> Callable[..., Any]:
        return symbolic_deep_linear(layers, features, KERNEL.name).compiled_inference()

    builders: dict[str, Callable[[], Any]] = {
        BASELINE: lambda: DeepLinear(layers),
        "sequential": lambda: nn.Sequential(*layers),
        COMPILED: lambda: compiled(DeepLinear(layers)),
        peer.NAME: lambda: peer.model(x, connect),
        **{name: functools.partial(symbolic, name) for name in BY_NAME},
        KERNELS[1]: frozen,
    }
    return {name: functools.partial(builders[name](), x) for name in settings.contenders or ()}
