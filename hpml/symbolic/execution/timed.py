"""A program that times its operators: timestamps chained through the generated source.

An operator's time runs from the end of the statement before it to the return of its call, so one
clock call an operator attributes everything; in a loop it stands inside the loop. A second one
follows where the result takes the place of a value that dies: that is the time of freeing memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from hpml.base.operator_times import OTHER, RELEASE, Label, OperatorTimes, Shapes, Timing
from hpml.symbolic import config
from hpml.symbolic.graph import Graph

from . import inlined
from .called import Program
from .guard import Guard
from .source import Wording, calling_layers, compile_source, failed_call_in, running_source

_GUARD, _LOOKUP = Label("[Guard]"), Label("[Layer lookup]")
_RELEASE_NOTE = (
    "[Mem alloc/free] is the time of freeing values; PyTorch allocates inside the operators."
)
_CALLED = " The layers were called: one of them, its class or a function that it calls was changed."


def prepare(
    program: Program, graph: Graph, layers: Sequence[nn.Module], execution: str, timing: Timing
) -> Program:
    """Return a program with the same results that gives what each run took to ``timing``."""
    calling = calling_layers("forward", comments=True)._replace(opening=())
    called, failed_in_called = _compile(graph, calling, {}, timing.by_shape)
    written, failed_in_written, guard = called, failed_in_called, None
    first, about = _LOOKUP, _RELEASE_NOTE
    if execution == "inlined":
        expressions = inlined.expressions_of(graph, layers)
        wording, names = inlined.writing_out(graph, expressions)
        written, failed_in_written = _compile(graph, wording, names, timing.by_shape)
        guard = Guard(expressions, layers)
        first = _GUARD
        about += " [Guard] checks that the layers are still those of the source."
    elif execution != "codegen":
        about += f" The execution {execution!r} is timed as source that makes its calls in order."
    each = (OTHER, RELEASE) if timing.by_shape else (RELEASE,)
    operators = [(Label(call.layer_type, call.name), *each) for call in graph.calls]
    labels = (first, *[label for group in operators for label in group], OTHER)

    def run(self: Any, *inputs: Any) -> Any:
        # A compiler or tracer records the operators, not the time of tracing them.
        if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
            return program.run(self, *inputs)
        clock = clock_for(self, inputs)
        stamps: list[int] = []
        shapes: list[Shapes] = []
        stamp = stamps.append
        stamp(clock())
        layers = self._execution_order_layers
        parameters = None if guard is None else guard.parameters(layers)
        forward = called if parameters is None else written
        stamp(clock())
        results = forward(layers, parameters, _noting(shapes), clock, stamp, *inputs)
        stamp(clock())
        is_changed = guard is not None and parameters is None
        text = about + _CALLED if is_changed else about
        timing.receive(OperatorTimes(stamps, labels, shapes, timing.sort, text))
        return results

    def failed_call(frame: FrameType, line: int) -> int | None:
        for failed_in in (failed_in_written, failed_in_called):
            position = failed_in(frame, line)
            if position is not None:
                return position
        return program.failed_call(frame, line)

    return program._replace(run=run, failed_call=failed_call)


def clock_for(model: nn.Module, inputs: Any) -> Callable[[], int]:
    """Return a clock in nanoseconds that waits, where numbers lie on a GPU, until it is done."""
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return time.perf_counter_ns
    values = [*tree_leaves(inputs), *model.parameters()]
    devices = {v.device for v in values if isinstance(v, torch.Tensor) and v.is_cuda}

    def synchronized() -> int:
        for device in devices:
            torch.cuda.synchronize(device)
        return time.perf_counter_ns()

    return synchronized if devices else time.perf_counter_ns


def shapes_of(values: Sequence[Any]) -> Shapes:
    """Return the shape of each tensor among the arguments of an operator, and in lists of them."""
    flat: list[Any] = []
    for value in values:
        flat.extend(value) if isinstance(value, (list, tuple)) else flat.append(value)
    return tuple([tuple(value.shape) for value in flat if isinstance(value, torch.Tensor)])


def _noting(shapes: list[Shapes]) -> Callable[..., None]:
    def note(*values: Any) -> None:
        shapes.append(shapes_of(values))

    return note


def _compile(
    graph: Graph, wording: Wording, names: dict[str, Any], by_shape: bool
) -> tuple[Callable[..., Any], Callable[[FrameType, int], int | None]]:
    """Compile a program of this wording with timestamps; return it and its ``failed_call``."""

    def statement(results: str, expression: str, arguments: list[str]) -> list[str]:
        # Shapes are noted when the operator is done, and while its arguments still are there.
        given = ", ".join(argument.removeprefix("*") for argument in arguments)
        noted = [f"note({given})", "stamp(clock())"] if by_shape else []
        if arguments[0].startswith("*"):  # `new` would keep the parts alive
            return [f"{results} = {expression}", "stamp(clock())", *noted, "stamp(clock())"]
        timed = [f"new = {expression}", "stamp(clock())", *noted]
        return [*timed, f"{results} = new", "stamp(clock())"]

    wording = wording._replace(parameters="l, p, note, clock, stamp", statement=statement)
    source = running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH, wording)
    function = compile_source(source, names)
    return function, failed_call_in(function, source, len(graph.calls))
