"""Switching operator timing on and off again, for a symbolic model and for any other module.

A symbolic model chains timestamps through its generated source. Any other module runs under a
`TorchFunctionMode`, which sees each function of PyTorch that Python calls. It is pushed and popped
by the call of that one object, on the thread that calls it; and nothing is stored in the object, so
that a copy of it is not timed. PyTorch parses the arguments of each function twice under a mode: an
empty one makes 200 small linear layers a fifth slower, and what is noted adds a fiftieth.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import MethodType
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from hpml.base.operator_times import OTHER, Label, OperatorTimes, Shapes, Timing
from hpml.profiling.errors import ProfilingError
from hpml.symbolic import SymbolicModel
from hpml.symbolic.execution.timed import clock_for, shapes_of

_NOTE = (
    "An operator is a function of PyTorch that Python calls; its time begins at the end of the "
    "previous one, so it includes Python code and allocations in between. Modules do not use "
    "fast paths during timing, such as TransformerEncoderLayer's in evaluation mode."
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
        before = kind.__dict__.get("__call__")
        is_asking = getattr(before, "timings", None) is not None
        call: Any = before if is_asking else _asking_call(kind, before)
        kind.__call__ = call
        if id(model) in call.timings:
            _refuse_nesting(model)
        call.timings[id(model)] = timing
    try:
        yield
    finally:
        with _lock:
            del call.timings[id(model)]
            is_on_top = kind.__dict__.get("__call__") is call
            if is_on_top and not call.timings:
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
        clock = clock_for(self, (args, kwargs))
        recorder = _Recorder(clock, timing.by_shape)
        start = clock()
        with recorder:
            result = call(*args, **kwargs)
        timing.receive(recorder.times(start, clock(), timing.sort))
        return result

    __call__.timings = timings  # type: ignore[attr-defined]
    __call__.before = before  # type: ignore[attr-defined]
    return __call__


class _Recorder(TorchFunctionMode):
    """Notes when each function of PyTorch returned, in one run, on one thread."""

    def __init__(self, clock: Callable[[], int], by_shape: bool) -> None:
        super().__init__()
        self.events: list[Any] = []  # a function, when it returned, the next function, …
        self.shapes: list[tuple[Shapes, int]] = []  # of each function, and when they were noted
        note, note_shapes = self.events.append, self.shapes.append

        def plain(
            self: Any, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            result = func(*args, **kwargs) if kwargs else func(*args)
            note(func)
            note(clock())
            return result

        def with_shapes(
            self: Any, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            result = plain(self, func, types, args, kwargs)
            note_shapes((shapes_of((*args, *(kwargs or {}).values())), clock()))
            return result

        # Not looked up in the class, and no attribute in it: a fifth of what the mode costs.
        function = with_shapes if by_shape else plain
        self.__torch_function__ = MethodType(function, self)  # type: ignore[method-assign]

    def times(self, start: int, end: int, sort: str) -> OperatorTimes:
        """Return the times of a run."""
        del self.__torch_function__  # a circle
        labels = list(map(_label, self.events[::2]))
        stamps = self.events[1::2]
        if _GETTER in labels:  # x.shape computes nothing, its time is that of what follows
            kept = [place for place, label in enumerate(labels) if label != _GETTER]
            labels, stamps = [labels[place] for place in kept], [stamps[place] for place in kept]
            self.shapes = [self.shapes[place] for place in kept if self.shapes]
        if self.shapes:
            counts: Counter[str] = Counter()
            numbered = []
            for label in labels:
                counts[label.operator] += 1
                node = f"{label.operator}_{counts[label.operator]}"
                numbered += [label._replace(node=node), OTHER]
            labels = numbered
            stamps = [
                stamp
                for returned, (_, noted) in zip(stamps, self.shapes, strict=True)
                for stamp in (returned, noted)
            ]
        shapes = [shape for shape, _ in self.shapes]
        own = len(self.events) // 2 * _nanoseconds_of_timing_one() / max(1, end - start)
        note = f"{_NOTE} Timing itself took about {own:.0%} of the run."
        return OperatorTimes([start, *stamps, end], [*labels, OTHER], shapes, sort, note)


@functools.cache
def _nanoseconds_of_timing_one() -> float:
    """Return what timing adds to an operator, from the smallest linear one, timed and untimed."""
    x, w, b, clock = torch.zeros(1, 1), torch.zeros(1, 1), torch.zeros(1), time.perf_counter_ns

    def least() -> float:
        times = []
        for _ in range(7):
            start = clock()
            for _ in range(100):
                nn.functional.linear(x, w, b)
            times.append((clock() - start) / 100)
        return min(times)

    with _Recorder(clock, by_shape=False):
        timed = least()
    return max(0.0, timed - least())


_GETTER = Label("__get__")


@functools.lru_cache(maxsize=1024)
def _label(function: Any) -> Label:
    name = function.__name__
    return _GETTER if name == "__get__" else Label(name.strip("_") or name, name)
