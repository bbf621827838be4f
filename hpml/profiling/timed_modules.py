"""Switching operator timing on and off again, for a symbolic model and for any other module.

A symbolic model chains timestamps through its generated source. Any other module runs under a
`TorchFunctionMode`, which sees each function of PyTorch that Python calls. It is pushed and popped
by the call of that one object, on the thread that calls it; and nothing is stored in the object, so
that a copy of it is not timed.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from hpml.base.operator_times import OTHER, Label, OperatorTimes, Shapes, Timing
from hpml.profiling.errors import ProfilingError
from hpml.symbolic import SymbolicModel
from hpml.symbolic.execution.timed import clock_for, shapes_of

_NOTE = (
    "An operator is a function of PyTorch that Python calls; its time runs from the end of the "
    "one before, so Python in between and memory count for it."
)
_lock = threading.Lock()


def switched_on(model: nn.Module, timing: Timing) -> AbstractContextManager[None]:
    """Return what times a model inside a ``with``."""
    return _symbolic(model, timing) if isinstance(model, SymbolicModel) else _module(model, timing)


@contextmanager
def _symbolic(model: SymbolicModel, timing: Timing) -> Iterator[None]:
    before = model._timing
    if before is not None and before.receive is not print:  # HPML_TIMING steps aside
        _refuse_nesting(model)
    model._set_timing(timing)
    try:
        yield
    finally:
        model._set_timing(before)


def _refuse_nesting(model: nn.Module) -> None:
    raise ProfilingError(
        f"operator_timing expects a model that is not being timed, got a {type(model).__name__} "
        "inside another `with operator_timing(...)` of the same model; read the outer one."
    )


@contextmanager
def _module(model: Any, timing: Timing) -> Iterator[None]:
    """Time one object: the ``__call__`` of its class asks which objects are timed."""
    kind = type(model)
    with _lock:
        call = kind.__dict__.get("__call__")
        if not hasattr(call, "timings"):
            call = _asking_call(kind, call)
            kind.__call__ = call
        if id(model) in call.timings:
            _refuse_nesting(model)
        call.timings[id(model)] = timing
    try:
        yield
    finally:
        with _lock:
            del call.timings[id(model)]
            if not call.timings and kind.__dict__.get("__call__") is call:
                if call.before is None:
                    del kind.__call__
                else:
                    kind.__call__ = call.before


def _asking_call(kind: type[nn.Module], before: Callable[..., Any] | None) -> Any:
    """Return a ``__call__`` for a class that times the objects in its ``timings``."""
    timings: dict[int, Timing] = {}

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        call = super(kind, self).__call__ if before is None else before.__get__(self)
        timing = timings.get(id(self))
        if timing is None or torch.compiler.is_compiling():
            return call(*args, **kwargs)
        recorder = _Recorder(clock_for(self, (args, kwargs)), timing.by_shape)
        recorder.stamps.append(recorder.clock())
        with recorder:
            result = call(*args, **kwargs)
        timing.receive(recorder.times(timing.sort))
        return result

    __call__.timings = timings  # type: ignore[attr-defined]
    __call__.before = before  # type: ignore[attr-defined]
    return __call__


class _Recorder(TorchFunctionMode):
    """Notes when each function of PyTorch returned, in one run, on one thread."""

    def __init__(self, clock: Callable[[], int], by_shape: bool) -> None:
        super().__init__()
        self.clock = clock
        self.by_shape = by_shape
        self.stamps: list[int] = []
        self.names: list[str] = []
        self.shapes: list[Shapes] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **kwargs) if kwargs else func(*args)
        name = func.__name__
        if name != "__get__":  # x.shape computes nothing
            self.stamps.append(self.clock())
            self.names.append(name)
            if self.by_shape:
                self.shapes.append(shapes_of((*args, *(kwargs or {}).values())))
                self.stamps.append(self.clock())
        return result

    def times(self, sort: str) -> OperatorTimes:
        """Return the times of the run that ends now."""
        self.stamps.append(self.clock())
        counts: Counter[str] = Counter()
        labels = []
        for name in self.names:
            operator = name.strip("_") or name
            counts[operator] += 1
            labels.append(Label(operator, f"{operator}_{counts[operator]}"))
            if self.by_shape:
                labels.append(OTHER)
        return OperatorTimes(self.stamps, [*labels, OTHER], self.shapes, sort, _NOTE)
