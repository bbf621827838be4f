"""The suite `toy-resnet`: the overhead of each execution of a small network with convolutions.

From 32 pixels on, the allocator of the C library may return each layer's buffers to the system and
request them again. This depends on the other memory of the process and changes times by up to 33 %.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.base import accelerator
from hpml.benchmark.agreement import same_results
from hpml.benchmark.paired import seconds_at
from hpml.course.suites import peer
from hpml.course.suites.forwards import (
    BASELINE,
    COMPILED,
    Forward,
    ForwardResult,
    ForwardSettings,
    compiled,
    uniform_input,
)
from hpml.course.suites.published import CUDA_GRAPHS, TOY_RESNET, published_times
from hpml.course.suites.running import run_together
from hpml.course.suites.settings import SuiteError
from hpml.course.suites.suite import Suite
from hpml.profiling import LaunchFit, fit_launches

if TYPE_CHECKING:
    import torch

DEFAULTS = ForwardSettings(min_sample_time=1e-2)
REDUCED = f"{COMPILED}, reduce-overhead"
"""The compiler's own CUDA graphs."""
REPLAY = "graph, replay alone"
"""A graph without what a call of a model does besides: a check, a copy of the input and one of the
result."""
RESOLUTIONS = (16, 32, 64)


class ToyResNetResult(ForwardResult):
    """The results of the suite, one case per resolution."""

    title = "Toy ResNet, time per forward"
    source = TOY_RESNET
    axis = "height and width in pixels"

    def times(self) -> dict[str, dict[int, float]]:
        """Return the seconds of a forward by contender and resolution."""
        return seconds_at({int(c.parameters["resolution"] or 0): c.comparison for c in self.cases})

    def fit(self) -> LaunchFit:
        """Fit the launch simulator to the measured baseline and replays of a graph."""
        times = self.times()
        # One launch is a replay. Results of earlier versions have calls of the model only.
        return _fit({**times, CUDA_GRAPHS: times[REPLAY]} if REPLAY in times else times, BASELINE)


def published_fit(contender: str = BASELINE) -> LaunchFit:
    """Fit the launch simulator to the published figures of a contender."""
    return _fit(published_times(TOY_RESNET), contender)


@functools.cache
def launches() -> int:
    """Return the number of operators in a forward pass, each counted as one launch."""
    import torch

    from hpml.course.models import ToyResNet
    from hpml.profiling import work_of

    model, x = ToyResNet(8).eval(), uniform_input((1, 3, 8, 8))
    with torch.no_grad():
        operations = work_of(lambda: model(x)).operations
    # On a CPU normalisation allocates memory with `empty`, which launches nothing.
    return sum(name != "empty" for name in operations)


def _fit(times: Mapping[str, Mapping[int, float]], contender: str) -> LaunchFit:
    missing = [name for name in (contender, CUDA_GRAPHS) if name not in times]
    if missing:
        raise SuiteError(
            object="the launch simulator",
            expected=f"times of {contender} and of {CUDA_GRAPHS}",
            received=f"none of {missing[0]}",
            remedy="Measure both on a GPU: --device cuda.",
        )
    return fit_launches(times[contender], times[CUDA_GRAPHS], launches())


def names(device: str) -> tuple[str, ...]:
    """Return the contenders' names, in the order of tables and pictures."""
    from hpml.symbolic import EXECUTIONS

    graphs = (CUDA_GRAPHS, REPLAY, REDUCED) if accelerator.can("graphs", device) else ()
    return (BASELINE, *EXECUTIONS, *peer.names(), COMPILED, *graphs)


def usual(device: str) -> tuple[str, ...]:
    """Return the usual contenders of a device."""
    # On a GPU PyTorch's compiler needs Triton, which not every system has.
    can_compile = device != "cpu" and accelerator.can("compile", device)
    by_compiler = () if can_compile else (COMPILED, REDUCED)
    return tuple(name for name in names(device) if name not in by_compiler)


def run(resolutions: Sequence[int] = RESOLUTIONS, **changes: Any) -> ToyResNetResult:
    """Measure the forward pass of the hand-written module and the others, one case per resolution.

    >>> result = run([8], rounds=6, contenders=["inlined"], min_sample_time=1e-5)
    >>> result.cases[0].comparison.names
    ('handwritten', 'inlined')
    """
    settings = DEFAULTS.changed(changes)
    settings = settings.choose(BASELINE, names(settings.device), usual(settings.device))
    wrong = [resolution for resolution in resolutions if resolution < 4 or resolution % 4]
    if wrong:
        raise SuiteError(
            object="resolutions",
            expected="positive multiples of 4, since the image is halved twice",
            received=", ".join(map(str, wrong)),
            remedy="Choose others, such as 8 16 32.",
        )
    # Kernels add in different orders; on a GPU, TF32 leaves three digits.
    check = same_results(1e-2, 1e-2) if settings.on_gpu else same_results(1e-4, 1e-5)
    outcome = run_together(
        "toy-resnet",
        "resolution",
        resolutions,
        _contenders,
        settings,
        grad=settings.grad,
        check=check,
    )
    return ToyResNetResult(outcome.cases, (*outcome.notes, *peer.notes()))


SUITE = Suite("toy-resnet", run, DEFAULTS, "heights and widths in pixels")


def _contenders(settings: ForwardSettings, resolution: int) -> dict[str, Callable[[], object]]:
    """Return the contenders for one resolution, with the same layers, in eval mode."""
    from hpml.course.models import ToyResNet, symbolic_toy_resnet
    from hpml.course.models.toy_resnet import layer_by_layer
    from hpml.symbolic import EXECUTIONS

    device, seed = settings.device, settings.seed
    network = ToyResNet(resolution, seed=seed).to(device).eval()
    x = uniform_input((settings.batch, 3, resolution, resolution), seed, device)

    def symbolic(execution: str, cuda_graphs: bool = False) -> torch.nn.Module:
        return symbolic_toy_resnet(network, execution, cuda_graphs=cuda_graphs).eval()

    builders: dict[str, Callable[[], Forward]] = {
        BASELINE: lambda: network,
        peer.NAME: lambda: peer.model(x, functools.partial(layer_by_layer, network)).eval(),
        COMPILED: lambda: compiled(network),
        CUDA_GRAPHS: lambda: symbolic("inlined", cuda_graphs=True),
        REPLAY: lambda: _replay(network, x),
        REDUCED: lambda: compiled(network, mode="reduce-overhead"),
        **{name: functools.partial(symbolic, name) for name in EXECUTIONS},
    }
    return {name: functools.partial(builders[name](), x) for name in settings.contenders or ()}


def _replay(network: torch.nn.Module, x: torch.Tensor) -> Forward:
    """Return a forward that replays a graph recorded for `x`, and does nothing else."""
    import torch

    side = torch.cuda.Stream(x.device)  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream(x.device))
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(3):  # libraries select their kernels in the first calls
            network(x)
    torch.cuda.current_stream(x.device).wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with (
        accelerator.current(x.device),
        torch.cuda.graph(graph, capture_error_mode="thread_local"),
        torch.no_grad(),
    ):
        result: torch.Tensor = network(x)

    def replay(_: torch.Tensor) -> torch.Tensor:
        graph.replay()
        return result

    return replay
