"""What compilers say while they work, and how often they do."""

from __future__ import annotations

import re
import shutil
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from hpml.base.environment import quick
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison
from hpml.jit import FirstCall


def told(run: Callable[[], Any]) -> tuple[Any, Table]:
    """Run something, and return its result with the warnings that it gave, each kind once.

    >>> import warnings
    >>> _, table = told(lambda: warnings.warn("It is old. Do not use it.", DeprecationWarning))
    >>> table.rows
    (('DeprecationWarning', 'It is old.'),)
    """
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        result = run()
    rows = {(each.category.__name__, _first_sentence(str(each.message))) for each in given}
    return result, Table(["warning", "begins"], sorted(rows), align=["left", "left"])


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!])\s", " ".join(text.split()))[0]


def compiler_of_this_run() -> tuple[dict[str, str], str]:
    """Return what to give to `torch.compile`, and what to say of it.

    Its own compiler needs one for C++, and takes long; else the stage before it stands in.
    """
    if quick():
        return {"backend": "aot_eager"}, "short run: it records its graph, and compiles nothing"
    if not any(map(shutil.which, ("g++", "clang++", "c++"))):
        return {"backend": "aot_eager"}, "no C++ compiler here: it records, and compiles nothing"
    return {}, "its own compiler, Inductor"


class CountingBackend:
    """A compiler for `torch.compile` that compiles nothing, and counts how often it is asked."""

    def __init__(self) -> None:
        self.graphs: list[str] = []

    def __call__(self, graph: Any, inputs: Any) -> Callable[..., Any]:
        """Take one graph, with inputs as examples, and return what is to be called."""
        self.graphs.append(graph.code)
        forward: Callable[..., Any] = graph.forward
        return forward


def recompilations(function: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]]) -> Table:
    """Return, call by call, whether `torch.compile` had to make a new graph for it."""
    import torch

    torch.compiler.reset()
    backend = CountingBackend()
    compiled = torch.compile(function, backend=backend)
    rows = []
    for name, arguments in calls.items():
        before, start = len(backend.graphs), time.perf_counter()
        compiled(*arguments)
        taken = time.perf_counter() - start
        new = len(backend.graphs) - before
        rows.append([name, format_seconds(taken), f"{new} new" if new else "found again"])
    torch.compiler.reset()
    return Table(["call", "time", "graphs"], rows, align=["left", "right", "left"])


def paying(ready: Mapping[str, FirstCall], later: Comparison) -> Table:
    """Return for each way its first call, its later calls, and after how many it has paid."""
    baseline = later.names[0]
    rows = []
    for name, first in ready.items():
        saved = later[baseline].median - later[name].median
        faster = later.ratio(name).answer == "faster"
        pays = f"{(first.seconds - ready[baseline].seconds) / saved:,.0f} calls"
        rows.append([name, format_seconds(first.seconds), format_seconds(later[name].median),
                     "–" if name == baseline else pays if faster else "not seen to pay"])  # fmt: skip
    return Table(["way", "first call", "later calls", "has paid after"], rows)
