"""Switch operator timing on and off, for a symbolic model and for any other module.

A symbolic model has timestamps in its generated source. Other modules are timed by a function in
`_compiled_call_impl`, which a call checks first and a copy of the module lacks. With 200 small
linear layers this adds 10 % to a run; forward hooks add 40 %, a `TorchFunctionMode` 25 %.
"""

from __future__ import annotations

import functools
import itertools
import threading
import time
import timeit
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from torch import nn

from hpml.base.operator_times import OTHER, Label, OperatorTimes, Timing
from hpml.profiling.errors import ProfilingError
from hpml.symbolic import SymbolicModel
from hpml.symbolic.execution.timed import clock_for, shapes_of

_NOTE = (
    "A row is the own time of the modules of one class, without the modules that they call. It "
    "includes what their forward computes itself, such as a + b."
)

Receive = Callable[[Callable[[], OperatorTimes]], None]


def switched_on(
    model: nn.Module, receive: Receive, sort: str, by_shape: bool
) -> AbstractContextManager[None]:
    """Return a context that times a model; `receive` gets a function that adds up a run's times."""
    if isinstance(model, SymbolicModel):
        return _symbolic(model, Timing(lambda times: receive(lambda: times), sort, by_shape))
    return _module(model, receive, sort, by_shape)


@contextmanager
def _symbolic(model: SymbolicModel, timing: Timing) -> Iterator[None]:
    before = model._timing
    if before is not None and before.receive is not print:  # HPML_TIMING is only suspended
        raise ProfilingError(
            "operator_timing expects a model that is not being timed, got a SymbolicModel inside "
            "another `with operator_timing(...)` of the same model; use the outer one."
        )
    model._set_timing(timing)
    try:
        yield
    finally:
        model._set_timing(before)


class _CurrentRun(threading.local):
    """This thread's run: its recorded calls, its clock, and its shapes if requested."""

    run: tuple[list[Any], Callable[[], int], list[Any] | None] | None = None


@contextmanager
def _module(model: nn.Module, receive: Receive, sort: str, by_shape: bool) -> Iterator[None]:
    current, names = _CurrentRun(), {module: name for name, module in model.named_modules()}
    calls = {module: _recording(module, current) for module in names}

    def run(*args: Any, **kwargs: Any) -> Any:
        if current.run is not None:  # the model calls itself
            return calls[model](*args, **kwargs)
        record: list[Any] = []
        shapes: list[Any] | None = [] if by_shape else None
        current.run = (record, clock_for(model, (args, kwargs)), shapes)
        try:
            result = calls[model](*args, **kwargs)
        finally:
            current.run = None
        receive(functools.cache(lambda: _times(record, shapes, names, sort)))
        return result

    for module, call in (calls | {model: run}).items():
        module._compiled_call_impl = call
    try:
        yield
    finally:
        for module in names:
            del module._compiled_call_impl


def _recording(module: nn.Module, current: _CurrentRun) -> Callable[..., Any]:
    """Return the call of a module that records its start and end inside a run."""
    original = module._call_impl

    def call(*args: Any, **kwargs: Any) -> Any:
        run = current.run
        if run is None:
            return original(*args, **kwargs)  # type: ignore[no-untyped-call]
        record, clock, shapes = run
        start = clock()
        result = original(*args, **kwargs)  # type: ignore[no-untyped-call]
        record += (module, start, clock())  # a flat list: tuples would trigger garbage collections
        if shapes is not None:
            shapes.append((shapes_of((*args, *kwargs.values())), clock()))
        return result

    return call


def _times(
    record: list[Any], shapes: list[Any] | None, names: dict[nn.Module, str], sort: str
) -> OperatorTimes:
    """Return the times of a run, whose calls are recorded in the order in which they ended."""
    calls = list(zip(record[::3], record[1::3], record[2::3], strict=True))
    all_shapes, afters = zip(*(shapes or [((), end) for _, _, end in calls]), strict=True)
    labels, times = [], []
    outermost: list[tuple[int, int]] = []  # start and duration of the outermost calls so far
    for (module, start, end), after in zip(calls, afters, strict=True):
        inside = 0
        while outermost and outermost[-1][0] >= start:
            inside += outermost.pop()[1]
        outermost.append((start, after - start))
        kind = type(module).__name__
        labels += [Label(kind, names[module] or kind), OTHER]
        times += [end - start - inside, after - end]
    first, total = outermost[0]
    note = f"{_NOTE} Timing itself took about {len(calls) * _overhead() / max(1, total):.0%}."
    stamps = list(itertools.accumulate(times, initial=first))
    return OperatorTimes(stamps, labels, all_shapes if shapes else (), sort, note)


@functools.cache
def _overhead() -> float:
    """Return the nanoseconds that timing adds to the call of a module."""
    current, module, clock = _CurrentRun(), nn.Identity(), time.perf_counter_ns
    timed = _recording(module, current)
    current.run = ([], clock, None)

    def fastest(call: Callable[..., Any]) -> float:
        return min(timeit.repeat(lambda: call(None), repeat=7, number=100)) * 1e7

    return max(0.0, fastest(timed) - fastest(module._call_impl))
