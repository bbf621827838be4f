"""Inlined execution: the generated source contains the layers' computations instead of calls.

Calling a module takes longer than computing a small layer: two Python frames, a check for hooks,
and attribute lookups in three dictionaries. ``linear(h, p["weight"], p["bias"])`` reads the layer's
dictionary of parameters directly, so it also uses replaced or moved parameters.

Inlining bypasses hooks, a ``forward`` set on the instance, and another ``__class__``. So each
forward first checks with the `guard` that the layers are as they were when the source was
generated, and otherwise calls them.
"""

from __future__ import annotations

import functools
import itertools
import keyword
import re
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch
from torch import nn

from hpml.symbolic import config, torch_private
from hpml.symbolic.building.layer_rules import FUNCTIONS
from hpml.symbolic.building.node import name_of
from hpml.symbolic.graph import Graph
from hpml.symbolic.useful_layers import UnpackLayer

from .called import Program, call_in_order, prepare_ordered
from .guard import Guard
from .inline_expressions import UNPACKED, Expression, expression_of
from .source import CALLING, Wording, compile_source, failed_call_in, running_source


def prepare(graph: Graph, layers: Sequence[nn.Module]) -> Program:
    """Generate and compile the forward of a graph with these layers inlined."""
    expressions = expressions_of(graph, layers)
    wording, names = inlining(graph, expressions)
    source = running_source(graph, config.CODEGEN_MIN_LOOP_LENGTH, wording)
    forward = compile_source(source, names)
    guard = Guard(expressions, layers)

    @functools.cache
    def in_order() -> Program:
        return prepare_ordered(graph, ())

    def run(self: Any, *inputs: Any) -> Any:
        layers = self._execution_order_layers
        # torch.compile cannot trace the guard, so it gets the plain calls.
        if torch.compiler.is_compiling():
            return call_in_order(graph, layers, inputs)
        parameters = guard.parameters(layers)
        # A tracer records the layer of each operator, so the layers have to be called.
        if parameters is None or torch_private.is_tracing():
            return in_order().run(self, *inputs)
        return forward(layers, parameters, *inputs)

    failed_in_forward = failed_call_in(forward, source, len(graph.calls))

    def failed_call(frame: FrameType, line: int) -> int | None:
        if frame.f_code is forward.__code__:
            return failed_in_forward(frame, line)
        return in_order().failed_call(frame, line)

    return Program(run, source.text, failed_call, source.spans)


def expressions_of(graph: Graph, layers: Sequence[nn.Module]) -> list[Expression | None]:
    """Return the expression of each call's layer, or None if the layer is called."""
    return [
        UNPACKED
        if call.unpacks and type(layer) is UnpackLayer
        else expression_of(layer, len(call.arguments))
        for call, layer in zip(graph.calls, layers, strict=True)
    ]


# Variables of the generated source, and keywords.
_RESERVED = re.compile(
    r"[hio]\d+|_|l|p|q|layer|new|note|stamp|clock|zip|getattr|slice|"
    + "|".join([*keyword.kwlist, *keyword.softkwlist])
)


def inlining(
    graph: Graph, expressions: Sequence[Expression | None]
) -> tuple[Wording, dict[str, Any]]:
    """Return the wording and a dictionary of its functions, which is filled during generation."""
    names: dict[str, Any] = dict(FUNCTIONS)
    name_for: dict[int, str] = {}

    def function_name(function: Callable[..., Any]) -> str:
        if id(function) not in name_for:
            base = re.sub(r"\W|^(?=\d)", "_", name_of(function), flags=re.ASCII) or "function"
            numbered = (f"{base}_{number}" for number in itertools.count(1))
            free = numbered if _RESERVED.fullmatch(base) else itertools.chain([base], numbered)
            name = next(name for name in free if names.setdefault(name, function) is function)
            name_for[id(function)] = name
        return name_for[id(function)]

    def write(expression: Expression, arguments: Sequence[str], layer: str, parameters: str) -> str:
        function = function_name(expression.function) if expression.function is not None else ""
        return expression.write(arguments, layer, parameters, function)

    def call(position: int, arguments: list[str]) -> str:
        expression = expressions[position]
        if expression is None:
            return CALLING.call(position, arguments)
        if graph.calls[position].unpacks:
            return arguments[0].removeprefix("*")
        return write(expression, arguments, f"l[{position}]", f"p[{position}]")

    def loop(start: int, end: int, name: str) -> tuple[str, str]:
        expression = expressions[start]
        if expression is None:
            return CALLING.loop(start, end, name)
        body = write(expression, [name], "layer", "q")
        layers, parameters = f"l[{start}:{end}]", f"p[{start}:{end}]"
        if "{p}" not in expression.text:
            return f"for layer in {layers}:", body
        if "{l}" not in expression.text:
            return f"for q in {parameters}:", body
        return f"for layer, q in zip({layers}, {parameters}):", body

    def kind(position: int) -> Any:
        expression = expressions[position]
        return None if expression is None else (expression.text, id(expression.function))

    return Wording(parameters="l, p", opening=(), call=call, loop=loop, kind=kind), names
