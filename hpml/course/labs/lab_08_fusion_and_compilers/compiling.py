"""Show what `torch.compile` and `torch.jit` generate, warn about and recompile."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from hpml.base.page import Page, show_code
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison
from hpml.course.files import recorded
from hpml.course.this_run import compiler_of_this_run
from hpml.jit import FirstCall, graph_breaks, inductor_loops


def with_warnings(run: Callable[[], Any]) -> tuple[Any, Table]:
    """Call `run`, and return its result and its warnings without duplicates."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        result = run()
    rows = {(w.category.__name__, re.split(r"(?<=[.!])\s", str(w.message))[0]) for w in given}
    return result, Table(["warning", "begins"], sorted(rows), align=["left", "left"])


def inductor_page(function: Callable[..., Any], *arguments: Any) -> Page:
    """Show the loops that Inductor generates, or recorded ones if there is no compiler."""
    if compiler_of_this_run()[0]:
        loops = "\n".join(recorded("inductor")["loops"])
        return show_code(loops, f"What Inductor wrote, shortened. {_recorded_where()}")
    return show_code(inductor_loops(function, *arguments), "What Inductor wrote, shortened")


def recorded_compilers() -> Table:
    """Return recorded times of Inductor's two modes."""
    rows = []
    for name, took in recorded("inductor")["ways"].items():
        ratio, low, high = took["later"]
        rows.append([name, format_seconds(took["first"]), f"{ratio:.3f} [{low:.3f}, {high:.3f}]"])
    columns = ["recorded", "compiling and first call", "later calls / Python"]
    return Table(columns, rows, caption=_recorded_where())


def _recorded_where() -> str:
    found = recorded("inductor")
    return f"Recorded, not measured here: {found['machine']}, PyTorch {found['PyTorch']}."


class _CountGraphs:
    """A backend of `torch.compile` that counts graphs and runs them as they are."""

    def __init__(self) -> None:
        self.graphs = self.operators = 0

    def __call__(self, graph: Any, example_inputs: Any) -> Callable[..., Any]:
        self.graphs += 1
        kinds = [node.op for node in graph.graph.nodes]
        self.operators += sum(kind not in ("placeholder", "output", "get_attr") for kind in kinds)
        forward: Callable[..., Any] = graph.forward
        return forward


def recompilations(
    function: Callable[..., Any], calls: Mapping[str, Any], dynamic: bool | None = None
) -> Table:
    """Return for each call whether `torch.compile` needed a new graph, and which guard failed."""
    import torch

    torch.compiler.reset()
    backend = _CountGraphs()
    compiled = torch.compile(function, backend=backend, dynamic=dynamic)
    rows = []
    for name, argument in calls.items():
        before, start = backend.graphs, time.perf_counter()
        compiled(argument)
        taken = time.perf_counter() - start
        new = backend.graphs - before
        why = _failed_guard() if new and backend.graphs > new else "–"
        rows.append([name, format_seconds(taken), f"{new} new" if new else "reused", why])
    torch.compiler.reset()
    columns = ["call", "time", "graphs", "because"]
    return Table(columns, rows, align=["left", "right", "left", "left"])


def _failed_guard() -> str:
    """Return why the newest graph was made, as TORCH_LOGS="recompiles" prints it."""
    try:
        from torch._dynamo.utils import get_compilation_metrics
    except ImportError:  # another version of PyTorch
        return "see TORCH_LOGS"
    made = get_compilation_metrics()
    reason = str(made[-1].recompile_reason or "–") if made else "–"
    return re.sub(r"^\d+/\d+: ", "", reason.splitlines()[0]).rstrip(". ")


def regional(blocks: int = 8) -> Table:
    """Compile a chain of equal blocks as a whole, and block by block, and count what was made."""
    import torch

    def chain(x: torch.Tensor) -> torch.Tensor:
        for layer in layers:
            x = layer(x)
        return x

    rows = []
    for name in ("the whole model", "each block"):
        torch.compiler.reset()
        backend = _CountGraphs()
        layers: list[Any] = [
            torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU()) for _ in range(blocks)
        ]
        run: Callable[..., Any] = torch.compile(chain, backend=backend)
        if name == "each block":
            layers = [torch.compile(layer, backend=backend) for layer in layers]
            run = chain
        start = time.perf_counter()
        with torch.no_grad():
            run(torch.ones(4, 16))
        taken = time.perf_counter() - start
        rows.append([name, backend.graphs, backend.operators, format_seconds(taken)])
    torch.compiler.reset()
    return Table(["compiled", "graphs", "operators in them", "first call"], rows)


def paying(ready: Mapping[str, FirstCall], later: Comparison) -> Table:
    """Return the first call, the later calls and the break-even point of each variant."""
    baseline = later.names[0]
    rows = []
    for name, first in ready.items():
        phrase = "–" if name == baseline else "does not pay off here"
        if later.ratio(name).answer == "faster":
            # Of the printed medians, so that the quotient can be checked.
            saved = later[baseline].median - later[name].median
            saved = saved if saved > 0 else -later.difference(name).value
            calls = (first.seconds - ready[baseline].seconds) / saved
            phrase = f"about {float(f'{calls:.2g}'):,.0f} calls"  # from one first call
        rows.append(
            [name, format_seconds(first.seconds), format_seconds(later[name].median), phrase]
        )
    options, _ = compiler_of_this_run()
    (_, took, ratio), *_ = recorded_compilers().rows
    other = f"torch.compile's own compiler: first call {took}, later calls {ratio} times Python's."
    caption = f"{other} {_recorded_where()}" if options else None
    return Table(["way", "first call", "later calls", "pays off after"], rows, caption=caption)


def compiled(functions: Mapping[str, Callable[..., Any]], x: Any) -> Table:
    """Return the graphs, graph breaks and result of each function under `torch.compile`."""
    import torch

    rows = []
    for name, function in functions.items():
        places = [f"{source} {why}" for _, source, why in graph_breaks(function, x).rows]
        backend = _CountGraphs()
        result = torch.compile(function, backend=backend)(x)
        rows.append([name, backend.graphs, "; ".join(places) or "–", str(result.tolist())])
    torch.compiler.reset()
    columns = ["compiled", "graphs", "graph breaks", f"result for {x.tolist()}"]
    return Table(columns, rows, align=["left", "right", "left", "left"])
