"""The toy ResNet's times: their growth with the image size, and the launch model behind it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from hpml.base import style
from hpml.base.charts import Chart, Line, lines, show
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark import Ratio
from hpml.course.files import recorded
from hpml.course.suites import peer
from hpml.course.suites.forwards import BASELINE, COMPILED
from hpml.course.suites.published import CUDA_GRAPHS, TOY_RESNET, published_times
from hpml.course.suites.running import environment_line
from hpml.course.suites.toy_resnet import (
    REDUCED,
    REPLAY,
    RESOLUTIONS,
    ToyResNetResult,
    published_fit,
    usual,
)
from hpml.profiling import LaunchFit, ProfilingError

GPU, RECORDED = "RTX 3080, published", "H100, recorded"
MACHINES = {"here": style.ACCENT, GPU: style.INDIGO, RECORDED: style.TEAL}
"""The colour of each machine."""
FORMS = {BASELINE: ("-", "o"), CUDA_GRAPHS: ("--", "s")}
"""The line and the marker of the executions whose growth is drawn."""


def ways(device: str, *, compiled: bool = False) -> list[str]:
    """Return the executions to compare with the hand-written network on this device."""
    available = [*usual(device), *([COMPILED] if compiled else [])]
    others = [n for n in (COMPILED, REDUCED, CUDA_GRAPHS, REPLAY) if n in available]
    return ["codegen", "inlined", *peer.names(), *others]


def times_of(result: ToyResNetResult) -> dict[str, dict[int, float]]:
    """Return the measured and published seconds of a forward, by name and resolution."""
    measured, published = result.times(), published_times(TOY_RESNET)
    found: dict[str, dict[int, float]] = {}
    for name in dict.fromkeys([*measured, *published]):
        found |= {f"{name}, here": measured[name]} if name in measured else {}
        found |= {f"{name}, {GPU}": published[name]} if name in published else {}
    return found


def recorded_times() -> dict[str, dict[int, float]]:
    """Return the recorded seconds of a forward on another GPU, by name and resolution."""
    found: dict[str, dict[str, float]] = recorded("gpu")["toy-resnet"]
    return {
        f"{name}, {RECORDED}": {int(size): seconds for size, seconds in times.items()}
        for name, times in found.items()
    }


def time_table(result: ToyResNetResult) -> Table:
    """Return the time of each contender at each resolution, in ms, and its growth."""
    times = times_of(result)
    sizes = sorted({size for each in times.values() for size in each})
    rows = [
        [name, *(1e3 * each[size] if size in each else None for size in sizes), growth(each)]
        for name, each in times.items()
    ]
    columns = ["forward, ms", *(f"{size} pixels" for size in sizes), "grows"]
    formats = {**dict.fromkeys(columns[1:-1], "{:.3f}".format), "grows": "{:.2f}×".format}
    missing = [name for name in (REDUCED, REPLAY) if f"{name}, here" not in times]
    caption = (
        f"Batch 4, no gradients. Here: {environment_line(result.cases)}. "
        f"Published: {TOY_RESNET.hardware}."
        + f" Not yet recorded, and measured with CUDA only: {'; '.join(missing)}."
        * bool(missing)
    )
    return Table(columns, rows, caption=caption, formats=formats)


def growth(times: Mapping[int, float]) -> float:
    """Return the time at the largest resolution as a multiple of that at the smallest."""
    return times[max(times)] / times[min(times)]


def forward_name(size: int | str) -> str:
    """Return the name of a forward in the roofline."""
    return f"ResNet, {size} pixels"


def forwards(device: str) -> dict[str, Callable[[], object]]:
    """Return the forward of the hand-written network at the smallest and the largest resolution."""
    import torch

    from hpml.course.models import ToyResNet

    def forward_at(size: int) -> Callable[[], object]:
        network = ToyResNet(size).to(device).eval()
        x = torch.rand(4, 3, size, size, device=device)
        return torch.no_grad()(lambda: network(x))

    return {forward_name(size): forward_at(size) for size in (RESOLUTIONS[0], RESOLUTIONS[-1])}


def measured_growth(result: ToyResNetResult) -> Ratio:
    """Return the growth factor of the hand-written network's time on this machine."""
    cases = sorted(result.cases, key=lambda case: int(case.parameters["resolution"] or 0))
    small, large = (replace(cases[k].comparison[BASELINE], name=str(k)) for k in (0, -1))
    return replace(cases[0].comparison, measurements=(small, large), baseline="0").ratio("-1")


def draw_growth(times: Mapping[str, Mapping[int, float]]) -> Page:
    """Draw the growth of the arithmetic, and of the network eager and recorded, by machine."""
    return show(growth_chart(times), caption="Solid: eager. Dashed: as a CUDA graph.", width=8.6)


def growth_chart(times: Mapping[str, Mapping[int, float]]) -> Chart:
    """Return the growth of each time with the image, a colour for each machine."""
    sizes = sorted({size for each in times.values() for size in each})
    work = [(size / sizes[0]) ** 2 for size in sizes]
    drawn = [Line("the arithmetic", sizes, work, ":", style.MUTED, text=f"{work[-1]:g}×")]
    for name, each in times.items():
        own, _, machine = name.partition(", ")
        if own in FORMS:
            relative = [time / each[min(each)] for time in each.values()]
            form, marker = FORMS[own]
            drawn.append(
                Line(name, list(each), relative, form, MACHINES[machine], marker,
                     f"{growth(each):.2f}×")
            )  # fmt: skip
    title, y = "How a forward grows with the image", "time, smallest image = 1"
    highest = max(max(line.y) for line in drawn)
    return lines(drawn, title=title, x="pixels", y=y, log="xy", sizes=sizes, height=4.2,
                 xlim=(sizes[0] / 1.1, sizes[-1] * 1.1), ylim=(0.8, 1.2 * highest),
                 at_ends=[line.name for line in drawn])  # fmt: skip


def fits(result: ToyResNetResult) -> dict[str, LaunchFit]:
    """Return the launch model fitted to the published times and, with CUDA graphs, to these."""
    found = {name: published_fit(name) for name in (BASELINE, peer.NAME)}
    named = {f"{name}, {GPU}": fit for name, fit in found.items()}
    if any(CUDA_GRAPHS in case.comparison.names for case in result.cases):
        with contextlib.suppress(ProfilingError):  # raised if this GPU never waits for a launch
            named[f"{BASELINE}, here"] = result.fit()
    return named


def around_a_replay(result: ToyResNetResult) -> str:
    """Return how much longer the call of a model takes than the replay of its graph alone."""
    cases = [case for case in result.cases if {CUDA_GRAPHS, REPLAY} <= {*case.comparison.names}]
    if not cases:
        return (
            "How much longer a call of the recorded model takes than its replay alone is measured "
            "with CUDA only, and not yet recorded."
        )
    parts = [
        f"{case.comparison.ratio(CUDA_GRAPHS, REPLAY).shown} times as long at "
        f"{case.parameters['resolution']} pixels"
        for case in cases
    ]
    return (
        f"A call of the recorded model, compared with its replay alone, takes {', '.join(parts)}. "
        "The call also checks the input, copies it, and copies the result."
    )


def grows_from(fit: LaunchFit) -> float:
    """Return the fitted image height in pixels from which the GPU is the bottleneck."""
    import numpy as np

    pixels = [size**2 for size in fit.kernels]
    slope, constant = np.polyfit(pixels, list(fit.kernels.values()), 1)
    return float(((fit.launch - constant) / slope) ** 0.5)


def speedups(fit: LaunchFit, graph_speedup: Callable[[int, float, float], object]) -> Table:
    """Return the speed-up of a graph at each size, measured and by the student's function."""
    rows = []
    for size, eager in fit.eager.items():
        predicted = graph_speedup(fit.count, 1e6 * fit.launch, 1e6 * fit.kernels[size])
        rows.append([size, eager / fit.recorded[size], predicted])
    formats = dict.fromkeys(["eager / graph", "your graph_speedup"], "{:.2f}×".format)
    return Table(["pixels", "eager / graph", "your graph_speedup"], rows, formats=formats)
