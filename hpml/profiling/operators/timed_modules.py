"""Switching operator timing on and off again, for a symbolic model and for any other module.

A symbolic model chains timestamps through its generated source. In any other model each module
notes when it was entered and left, in the slot that `torch.nn.Module.compile` uses: a call looks
there first, and a copy of the module does not have it. For 200 small linear layers that takes about
a tenth of the run; forward hooks take two fifths, a `TorchFunctionMode` a quarter.
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
    "A row is the time that modules of one class took themselves, without the modules that they "
    "call: what a forward computes between those calls, such as a + b, is in its own row."
)


Receive = Callable[[Callable[[], OperatorTimes]], None]


def switched_on(
    model: nn.Module, receive: Receive, sort: str, by_shape: bool
) -> AbstractContextManager[None]:
    """Return what times a model inside a ``with``, and hands on what adds up each run."""
    if isinstance(model, SymbolicModel):
        return _symbolic(model, Timing(lambda times: receive(lambda: times), sort, by_shape))
    return _module(model, receive, sort, by_shape)


@contextmanager
def _symbolic(model: SymbolicModel, timing: Timing) -> Iterator[None]:
    before = model._timing
    if before is not None and before.receive is not print:  # HPML_TIMING steps aside
        raise ProfilingError(
            "operator_timing expects a model that is not being timed, got a SymbolicModel inside "
            "another `with operator_timing(...)` of the same model; read the outer one."
        )
    model._set_timing(timing)
    try:
        yield
    finally:
        model._set_timing(before)


class _Here(threading.local):
    """The run that this thread is in: its calls, its clock, and its shapes if asked for."""

    run: tuple[list[Any], Callable[[], int], list[Any] | None] | None = None


@contextmanager
def _module(model: nn.Module, receive: Receive, sort: str, by_shape: bool) -> Iterator[None]:
    here, names = _Here(), {module: name for name, module in model.named_modules()}
    calls = {module: _noting(module, here) for module in names}

    def run(*args: Any, **kwargs: Any) -> Any:
        if here.run is not None:  # the model calls itself
            return calls[model](*args, **kwargs)
        noted: list[Any] = []
        shapes: list[Any] | None = [] if by_shape else None
        here.run = (noted, clock_for(model, (args, kwargs)), shapes)
        try:
            result = calls[model](*args, **kwargs)
        finally:
            here.run = None
        receive(functools.cache(lambda: _times(noted, shapes, names, sort)))
        return result

    for module, call in (calls | {model: run}).items():
        module._compiled_call_impl = call
    try:
        yield
    finally:
        for module in names:
            del module._compiled_call_impl


def _noting(module: nn.Module, here: _Here) -> Callable[..., Any]:
    """Return the call of a module that notes, inside a run, when it began and ended."""
    original = module._call_impl

    def call(*args: Any, **kwargs: Any) -> Any:
        run = here.run
        if run is None:
            return original(*args, **kwargs)  # type: ignore[no-untyped-call]
        noted, clock, shapes = run
        start = clock()
        result = original(*args, **kwargs)  # type: ignore[no-untyped-call]
        noted += (module, start, clock())  # kept flat: the garbage collector counts kept tuples
        if shapes is not None:
            shapes.append((shapes_of((*args, *kwargs.values())), clock()))
        return result

    return call


def _times(
    noted: list[Any], shapes: list[Any] | None, names: dict[nn.Module, str], sort: str
) -> OperatorTimes:
    """Return the times of a run, whose calls were noted in the order in which they ended."""
    calls = list(zip(noted[::3], noted[1::3], noted[2::3], strict=True))
    given, afters = zip(*(shapes or [((), end) for _, _, end in calls]), strict=True)
    labels, times = [], []
    outermost: list[tuple[int, int]] = []  # of the calls so far: when they began, what they took
    for (module, start, end), after in zip(calls, afters, strict=True):
        inside = 0
        while outermost and outermost[-1][0] >= start:
            inside += outermost.pop()[1]
        outermost.append((start, after - start))
        kind = type(module).__name__
        labels += [Label(kind, names[module] or kind), OTHER]
        times += [end - start - inside, after - end]
    first, whole = outermost[0]
    note = f"{_NOTE} Timing itself took about {len(calls) * _cost_of_one() / max(1, whole):.0%}."
    stamps = list(itertools.accumulate(times, initial=first))
    return OperatorTimes(stamps, labels, given if shapes else (), sort, note)


@functools.cache
def _cost_of_one() -> float:
    """Return the ns that timing adds to the call of a module, from an empty one."""
    here, module, clock = _Here(), nn.Identity(), time.perf_counter_ns
    timed = _noting(module, here)
    here.run = ([], clock, None)

    def least(call: Callable[..., Any]) -> float:
        return min(timeit.repeat(lambda: call(None), repeat=7, number=100)) * 1e7

    return max(0.0, least(timed) - least(module._call_impl))
