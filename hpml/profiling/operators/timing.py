"""The time of each operator of a model, run by run, as in the report of RTen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.base.operator_times import OperatorTimes, TimingError, check_sort
from hpml.base.tables import Shown
from hpml.profiling.errors import ProfilingError

if TYPE_CHECKING:
    from torch import nn


@dataclass
class OperatorTiming(Shown):
    """The runs of a model whose operators are timed; the last one is displayed."""

    _finished: list[Callable[[], OperatorTimes]] = field(default_factory=list)

    @property
    def runs(self) -> list[OperatorTimes]:
        """The times of each run, in the order in which they ended."""
        return [times() for times in self._finished]

    @property
    def last(self) -> OperatorTimes:
        """The times of the last run, or a `ProfilingError` if there was none."""
        if not self._finished:
            raise ProfilingError(
                "operator_timing expects a run of the model inside the `with`, got none; call "
                "model(x) there."
            )
        return self._finished[-1]()

    def _shown(self) -> Sequence[Any]:
        return [self.last]


@contextmanager
def operator_timing(
    model: nn.Module, *, sort: str = "time", by_shape: bool = False
) -> Iterator[OperatorTiming]:
    """Time the operators of each run of a model inside the ``with``.

    Each run has a row per operator and ``[Other]`` for the rest; the rows add up to the total. A
    symbolic model also has ``[Mem alloc/free]``, the time of freeing values (PyTorch allocates
    inside the operators), and ``[Guard]``, the check whether its source is still valid. On a GPU
    each operator is synchronised. ``HPML_TIMING="sort=name by-shape=1"``, if set when a symbolic
    model is created, prints the same after each run, unless the model replays CUDA graphs.

    Args:
        model: a symbolic model, whose operators are the calls of its graph, or any other module,
            with a row per class of its modules. The row has their own time, without the modules
            that they call.
        sort: ``"time"`` or ``"name"``.
        by_shape: whether to record the shapes of each operator's arguments; the time for that is
            in ``[Other]``.

    Raises:
        ProfilingError: if `model` is not a module, if it or a part of it is compiled or already
            being timed, or if `sort` is invalid.
        ArgumentError: if the model replays CUDA graphs.

    Source: https://github.com/robertknight/rten/blob/main/docs/profiling.md

    >>> import torch
    >>> from torch import nn
    >>> model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    >>> with operator_timing(model, sort="name") as timing:
    ...     y = model(torch.ones(1, 4))
    >>> list(timing.last.by_operator), sum(timing.last.by_operator.values()) == timing.last.total
    (['Linear', 'ReLU', 'Sequential', '[Other]'], True)
    """
    from torch import nn

    from hpml.profiling.operators.timed_modules import switched_on

    if not isinstance(model, nn.Module):
        raise ProfilingError(
            f"operator_timing expects a model, a torch.nn.Module, got {describe(model)}."
        )
    if any(map(_runs_without_python, model.modules())):
        raise ProfilingError(
            "operator_timing expects a model whose operators Python calls, got one that is (or "
            "has a part that is) compiled by torch.compile or torch.jit or already being timed; "
            "time the model before compilation, or use torch.profiler."
        )
    try:
        check_sort("operator_timing", sort)
    except TimingError as error:
        raise ProfilingError(str(error)) from None
    timing = OperatorTiming()
    with switched_on(model, timing._finished.append, sort, by_shape):
        yield timing


def _runs_without_python(module: nn.Module) -> bool:
    import torch

    is_compiled = hasattr(module, "_orig_mod") or module._compiled_call_impl is not None
    return is_compiled or isinstance(module, torch.jit.ScriptModule)
