"""A program that times its operators with timestamps in the generated source.

An operator's time is the time from the previous timestamp to the return of its call. A second
timestamp follows the assignment of the result, which may free a dead value.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch
from torch import nn

from hpml.base import accelerator
from hpml.base.operator_times import OTHER, RELEASE, Label, OperatorTimes, Shapes, Timing
from hpml.symbolic import config, torch_private
from hpml.symbolic.graph import Graph

from . import inlined
from .called import Program
from .guard import Guard
from .source import Wording, compile_source, failed_call_in, running_source


def prepare(
    program: Program, graph: Graph, layers: Sequence[nn.Module], execution: str, timing: Timing
) -> Program:
    """Return a program with the same results that passes the times of each run to ``timing``."""
    guard, first = None, Label("[Layer lookup]")
    note = "[Mem alloc/free] is the time of freeing values; PyTorch allocates inside the operators."
    names: dict[str, Any] = {}
    wording = Wording(opening=())
    if execution == "inlined":
        expressions = inlined.expressions_of(graph, layers)
        wording, names = inlined.inlining(graph, expressions)
        guard, first = Guard(expressions, layers), Label("[Guard]")
        note += " [Guard] checks that the layers still match the source."
    elif execution != "codegen":
        note += f" The execution {execution!r} is timed as source that calls the layers in order."
    parameters = "l, p, note, clock, stamp"
    wording = wording._replace(parameters=parameters, statement=_statement(timing.by_shape))
    source = running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH, wording)
    forward = compile_source(source, names)
    failed_in_forward = failed_call_in(forward, source, len(graph.calls))
    overheads = (OTHER, RELEASE) if timing.by_shape else (RELEASE,)
    operators = [(Label(call.layer_type, call.name), *overheads) for call in graph.calls]
    labels = (first, *[label for group in operators for label in group], OTHER)

    @functools.cache
    def calling() -> Program:
        """Return the program for layers that do not match the source any more."""
        return program if guard is None else prepare(program, graph, layers, "codegen", timing)

    def run(self: Any, *inputs: Any) -> Any:
        # While compiling or tracing, times would be those of recording the operators.
        if torch.compiler.is_compiling() or torch_private.is_tracing():
            return program.run(self, *inputs)
        clock = clock_for(self, inputs)
        stamps = [clock()]
        shapes: list[Shapes] = []
        layers = self._execution_order_layers
        parameters = () if guard is None else guard.parameters(layers)
        if parameters is None:
            return calling().run(self, *inputs)
        stamps.append(clock())

        def note_shapes(*values: Any) -> None:
            shapes.append(shapes_of(values))

        results = forward(layers, parameters, note_shapes, clock, stamps.append, *inputs)
        stamps.append(clock())
        timing.receive(OperatorTimes(stamps, labels, shapes, timing.sort, note))
        return results

    def failed_call(frame: FrameType, line: int) -> int | None:
        position = failed_in_forward(frame, line)
        return calling().failed_call(frame, line) if position is None else position

    return program._replace(run=run, failed_call=failed_call)


def clock_for(model: nn.Module, inputs: Any) -> Callable[[], int]:
    """Return a clock in nanoseconds that first waits for the devices of model and inputs."""
    if not accelerator.in_use():
        return time.perf_counter_ns
    values = [*torch_private.tree_leaves(inputs), *model.parameters()]
    devices = {value.device for value in values if isinstance(value, torch.Tensor)}
    # Without a tensor of theirs, operators may still put work on the accelerator.
    return accelerator.clock(time.perf_counter_ns, *devices)


def shapes_of(values: Sequence[Any]) -> Shapes:
    """Return the shape of each tensor among an operator's arguments and in their lists."""
    flat: list[Any] = []
    for value in values:
        flat.extend(value) if isinstance(value, (list, tuple)) else flat.append(value)
    return tuple([tuple(value.shape) for value in flat if isinstance(value, torch.Tensor)])


def _statement(by_shape: bool) -> Callable[[str, str, list[str]], list[str]]:
    """Return how to write a call with timestamps."""

    def statement(results: str, expression: str, arguments: list[str]) -> list[str]:
        # Note shapes after the operator, and before its arguments may be freed.
        values = ", ".join(argument.removeprefix("*") for argument in arguments)
        notes = [f"note({values})", "stamp(clock())"] if by_shape else []
        if arguments[0].startswith("*"):  # `new` would keep the parts alive
            return [f"{results} = {expression}", "stamp(clock())", *notes, "stamp(clock())"]
        timed = [f"new = {expression}", "stamp(clock())", *notes]
        return [*timed, f"{results} = new", "stamp(clock())"]

    return statement
