"""The time of each operator of a symbolic model, run by run, as in the report of RTen."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.base.operator_times import OperatorTimes, Timing, check_sort
from hpml.base.tables import Shown
from hpml.profiling.errors import ProfilingError
from hpml.profiling.export import Event, save_trace, span

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


@dataclass
class OperatorTiming(Shown):
    """The times of each run, in the order in which they ended; the last one is displayed."""

    runs: list[OperatorTimes] = field(default_factory=list)

    @property
    def last(self) -> OperatorTimes:
        """The times of the last run; a ProfilingError before the first one."""
        if not self.runs:
            raise ProfilingError(
                object="runs of operator_timing",
                expected="a run of the model inside the with",
                received="none yet",
                remedy="Call the model, as in: with operator_timing(model) as timing: model(x).",
            )
        return self.runs[-1]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all runs as a Chrome trace, which Perfetto opens, and return the file's path.

        Each run is a span that contains the spans of its operators, in microseconds since the
        first run began. An operator has its node, and its shapes if they were recorded.

        Raises:
            ProfilingError: before the first run, or if the name does not end in ``.json``.
            OSError: if it cannot be written; a missing folder is created.
        """
        runs = [self.last] if not self.runs else self.runs  # an error before the first run
        begin = runs[0].stamps[0]
        events = [event for n, run in enumerate(runs, 1) for event in _events(run, n, begin)]
        threads = {1: "operators"}
        return save_trace(
            path, events, what="operator times", process="symbolic model", threads=threads
        )

    def _shown(self) -> Sequence[Any]:
        return [self.last]


def _events(run: OperatorTimes, number: int, begin: int) -> Iterator[Event]:
    """Yield the span of a run and of each of its intervals."""
    stamps = [1e-3 * (stamp - begin) for stamp in run.stamps]
    yield span(f"run {number}", stamps[0], stamps[-1], thread=1, category="run")
    shapes = iter(run.shapes)
    for label, start, end in zip(run.labels, stamps, stamps[1:], strict=False):
        more: dict[str, Any] = {"node": label.node} if label.node else {}
        if label.node and run.shapes:
            more["shapes"] = [list(shape) for shape in next(shapes)]
        category = "operator" if label.node else "other"
        yield span(label.operator, start, end, thread=1, category=category, more=more)


@contextmanager
def operator_timing(
    model: SymbolicModel, *, sort: str = "time", by_shape: bool = False
) -> Iterator[OperatorTiming]:
    """Time the operators of each run of a symbolic model inside the ``with``.

    Each run has a row per operator and ``[Other]`` for the rest; the rows add up to the total.
    ``[Mem alloc/free]`` is the time of freeing values (PyTorch allocates inside the operators), and
    ``[Guard]`` the check whether the model's source is still valid. On a GPU each operator is
    synchronised. ``HPML_TIMING="sort=name by-shape=1"``, if set when a model is created, prints the
    same after each run, unless the model replays CUDA graphs.

    Args:
        model: the model, whose operators are the calls of its graph.
        sort: ``"time"`` or ``"name"``.
        by_shape: whether to record the shapes of each operator's arguments; the time for that is
            in ``[Other]``.

    Raises:
        ProfilingError: if `model` is no symbolic model, or if it or a part of it is compiled or
            already being timed.
        TimingError: if `sort` is invalid.
        ArgumentError: if the model replays CUDA graphs.

    Source: https://github.com/robertknight/rten/blob/main/docs/profiling.md

    >>> import torch
    >>> from hpml.symbolic import Input, SymbolicModel
    >>> x = Input(shape=(4,))
    >>> model = SymbolicModel(x, torch.nn.ReLU()(torch.nn.Linear(4, 4)(x)), execution="codegen")
    >>> with operator_timing(model, sort="name") as timing:
    ...     y = model(torch.ones(1, 4))
    >>> [name for name in timing.last.by_operator if "[" not in name]
    ['Linear', 'ReLU']
    >>> sum(timing.last.by_operator.values()) == timing.last.total
    True
    """
    from hpml.symbolic import SymbolicModel

    if not isinstance(model, SymbolicModel):
        raise ProfilingError(
            object="model of operator_timing",
            expected="a SymbolicModel",
            received=describe(model),
            remedy="Use torch.profiler to time the operators of other modules.",
        )
    if any(hasattr(part, "_orig_mod") or part._compiled_call_impl for part in model.modules()):
        raise ProfilingError(
            object="model of operator_timing",
            expected="a model whose operators Python calls",
            received="one that is (or has a part that is) compiled",
            remedy="Time the model before compilation.",
        )
    before = model._timing
    if before is not None and before.receive is not print:  # HPML_TIMING is only suspended
        raise ProfilingError(
            object="model of operator_timing",
            expected="a model that is not being timed",
            received="one inside another `with operator_timing(...)`",
            remedy="Use the outer one.",
        )
    check_sort("operator_timing", sort)
    timing = OperatorTiming()
    model._set_timing(Timing(timing.runs.append, sort, by_shape))
    try:
        yield timing
    finally:
        model._set_timing(before)
