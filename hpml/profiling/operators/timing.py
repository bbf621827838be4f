"""What each operator of a model takes, run by run: RTen's report for symbolic and other models."""

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
    """The runs of a model while its operators are timed; shown is the last one."""

    _finished: list[Callable[[], OperatorTimes]] = field(default_factory=list)

    @property
    def runs(self) -> list[OperatorTimes]:
        """What each run took, in the order in which they ended; added up when it is asked for."""
        return [added_up() for added_up in self._finished]

    @property
    def last(self) -> OperatorTimes:
        """The run that ended last.

        Raises:
            ProfilingError: if there was none.
        """
        if not self._finished:
            raise ProfilingError(
                "Operator timing expects a run of the model inside the with, got none; call the "
                "model there, as model(x)."
            )
        return self._finished[-1]()

    def _shown(self) -> Sequence[Any]:
        return [self.last]


@contextmanager
def operator_timing(
    model: nn.Module, *, sort: str = "time", by_shape: bool = False
) -> Iterator[OperatorTiming]:
    """Time the operators of each run of a model inside the ``with``.

    Each run has a row an operator, ``[Other]`` for the rest, and they add up to the whole; for a
    symbolic model also ``[Mem alloc/free]``, the time of freeing values (PyTorch allocates
    inside the operators), and ``[Guard]``, the look whether its source still holds. On a GPU each
    operator is waited for. ``HPML_TIMING="sort=name by-shape=1"``, set when a symbolic model is
    made, prints the same after each of its runs, unless it replays CUDA graphs.

    Args:
        model: a symbolic model, whose operators are the calls of its graph, or any other module,
            with a row for each class of modules in it: the time without the modules that they
            call. A module that calls no other counts as an operator.
        sort: ``"time"`` or ``"name"``.
        by_shape: note the shapes of each operator's arguments too; what that takes is in
            ``[Other]``.

    Raises:
        ProfilingError: if `model` is no module, it or a part of it is compiled or timed already,
            or `sort` is neither of the two.
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
            "operator_timing expects a model whose operators Python calls, got one that "
            "torch.compile or torch.jit has compiled, or that is timed already, or a part of it; "
            "time the model that was compiled, or show what it runs with torch.profiler."
        )
    try:
        check_sort("operator_timing", sort)
    except TimingError as error:
        raise ProfilingError(str(error)) from None
    found = OperatorTiming()
    with switched_on(model, found._finished.append, sort, by_shape):
        yield found


def _runs_without_python(module: nn.Module) -> bool:
    import torch

    is_compiled = hasattr(module, "_orig_mod") or module._compiled_call_impl is not None
    return is_compiled or isinstance(module, torch.jit.ScriptModule)
