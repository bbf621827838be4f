"""Generate Python source from a graph, and compile it to a function.

:func:`documented_source` gives each value a separate name, for reading. :func:`running_source`
reuses the names of dead values, so the forward frees memory as early as one written by hand. A long
straight chain of layers becomes a loop, ``for layer in l[a:b]:``.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from hpml.base.errors import describe
from hpml.symbolic.errors import ArgumentError
from hpml.symbolic.graph import Call, Graph
from hpml.symbolic.graph.liveness import assign_slots, use_counts

INDENT = "    "


class Source(NamedTuple):
    """Generated Python source of one function."""

    text: str
    spans: tuple[tuple[int, int], ...]  # for each line its calls: first, and one past the last


def _call(position: int, arguments: list[str]) -> str:
    return f"l[{position}]({', '.join(arguments)})"


def _loop(start: int, end: int, name: str) -> tuple[str, str]:
    return f"for layer in l[{start}:{end}]:", f"layer({name})"


def _statement(results: str, expression: str, arguments: list[str]) -> list[str]:
    return [f"{results} = {expression}"]


class Wording(NamedTuple):
    """The syntax of a program; by default it calls each layer, ``h0 = l[3](h0)``.

    The order of the calls and the names are independent of it.
    """

    head: str = "forward"  # the name of the function
    parameters: str = "self"  # before the inputs
    opening: tuple[str, ...] = ("l = self._execution_order_layers",)  # before the first call
    comments: bool = True  # whether a comment names the layers of each line
    # From position and arguments to the expression.
    call: Callable[[int, list[str]], str] = _call
    # From the start and end of a chain and the value's name to the head and the expression.
    loop: Callable[[int, int, str], tuple[str, str]] = _loop
    kind: Callable[[int], Any] = lambda position: None  # all calls of a loop have the same kind
    # From results, expression and arguments to the lines of a call.
    statement: Callable[[str, str, list[str]], list[str]] = _statement


CALLING = Wording()


def documented_source(graph: Graph, min_loop_length: float) -> Source:
    """Return the source with a separate name for each value."""
    width = len(str(max(len(graph.inputs), len(graph.outputs), len(graph.calls))))
    names = [""] * len(graph.values)
    for position, call in enumerate(graph.calls):
        for place, result in enumerate(call.results):
            if result is not None:
                suffix = f"_{place}" if call.unpacks else ""
                names[result] = f"h{position:0{width}}{suffix}"
    for position, value in reversed(list(enumerate(graph.outputs))):
        names[value] = f"o{position:0{width}}"
    _name_inputs(graph, names, width)
    wording = Wording("_generated_forward", comments=False)
    return _write(graph, wording, names, find_chains(graph, min_loop_length, wording.kind))


def running_source(graph: Graph, min_loop_length: float, wording: Wording = CALLING) -> Source:
    """Return the source that runs, which reuses the names of dead values."""
    slots = assign_slots(graph)
    width = len(str(max(len(graph.inputs), max(slots, default=0))))
    texts = [f"h{slot - len(graph.inputs):0{width}}" for slot in range(max(slots, default=-1) + 1)]
    names = [texts[slot] for slot in slots]
    _name_inputs(graph, names, width)
    return _write(graph, wording, names, find_chains(graph, min_loop_length, wording.kind))


def _name_inputs(graph: Graph, names: list[str], width: int) -> None:
    for position, value in enumerate(graph.inputs):
        names[value] = f"i{position:0{width}}"


def find_chains(
    graph: Graph, min_length: float, kind: Callable[[int], Any] = lambda position: None
) -> dict[int, int]:
    """Return the start and end of each straight chain of calls of one ``kind``.

    Each call in a chain takes only the result of the previous call, which nothing else reads.
    """
    if not min_length >= 2:
        raise ArgumentError(
            object="config.CODEGEN_MIN_LOOP_LENGTH",
            expected="a number of at least 2",
            received=describe(min_length),
            remedy="Assign one such as 100; float('inf') generates no loops.",
        )
    counts = use_counts(graph)
    chains = {}
    start = 0
    calls = graph.calls
    while start < len(calls):
        end = start + 1
        if _is_simple(calls[start]):
            result = calls[start].results[0]
            start_kind = kind(start)
            while (
                end < len(calls)
                and calls[end].arguments == (result,)
                and _is_simple(calls[end])
                and result is not None
                and counts[result] == 1
                and kind(end) == start_kind
            ):
                result = calls[end].results[0]
                end += 1
        if end - start >= min_length:
            chains[start] = end
        start = end
    return chains


def _is_simple(call: Call) -> bool:
    return len(call.arguments) == 1 and not call.unpacks


def _write(graph: Graph, wording: Wording, names: list[str], chains: dict[int, int]) -> Source:
    """Return the source of a program with these names of values and chains of calls."""
    calls = graph.calls
    inputs = "".join(f", {names[value]}" for value in graph.inputs)
    lines = [f"def {wording.head}({wording.parameters}{inputs}):"]
    lines += [INDENT + line for line in wording.opening]
    spans = [(len(calls), len(calls))] * len(lines)
    position = 0
    while position < len(calls):
        call = calls[position]
        end = chains.get(position, position + 1)
        if position in chains:
            last = calls[end - 1].results[0]
            assert last is not None  # a chain has one result
            variable, start = names[last], names[call.arguments[0]]
            last_name = calls[end - 1].name
            comment = f"  # {_safe(call.name)} to {_safe(last_name)}" if wording.comments else ""
            if variable != start:
                lines.append(f"{INDENT}{variable} = {start}")
            head, expression = wording.loop(position, end, variable)
            lines.append(f"{INDENT}{head}{comment}")
            body = wording.statement(variable, expression, [variable])
            lines += [INDENT + INDENT + line for line in body]
        else:
            results = ", ".join("_" if r is None else names[r] for r in call.results)
            if call.unpacks and len(call.results) == 1:
                results += ","
            star = "*" if call.unpacks else ""
            arguments = [star + names[a] for a in call.arguments]
            expression = wording.call(position, arguments)
            comment = f"  # {_safe(call.name)}" if wording.comments else ""
            first, *others = wording.statement(results, expression, arguments)
            lines += [INDENT + line for line in (first + comment, *others)]
        spans.extend([(position, end)] * (len(lines) - len(spans)))
        position = end
    lines.append(f"{INDENT}return {', '.join([names[value] for value in graph.outputs])}")
    spans.append((len(calls), len(calls)))
    return Source("\n".join(lines) + "\n", tuple(spans))


def _safe(name: str) -> str:
    """Return a name for a comment, escaped if it is not an identifier and may have line breaks."""
    return name if name.isidentifier() else ascii(name)


_counter = itertools.count(1)


def compile_source(source: Source, names: dict[str, Any] | None = None) -> Callable[..., Any]:
    """Compile generated source and return its function.

    The source is registered with ``linecache`` while the function exists, so tracebacks, debuggers
    and ``inspect.getsource`` show its lines.
    """
    file_name = f"<hpml.symbolic forward {next(_counter)}>"
    scope: dict[str, Any] = {"__name__": "hpml.symbolic.generated", **(names or {})}
    defined: dict[str, Any] = {}
    exec(compile(source.text, file_name, "exec"), scope, defined)
    function: Callable[..., Any]
    (function,) = defined.values()
    lines = source.text.splitlines(keepends=True)
    linecache.cache[file_name] = (len(source.text), None, lines, file_name)
    weakref.finalize(function, linecache.cache.pop, file_name, None)
    return function


def failed_call_in(
    function: Callable[..., Any], source: Source, calls: int
) -> Callable[[FrameType, int], int | None]:
    """Return the ``failed_call`` of a program for this function of generated source."""

    def failed_call(frame: FrameType, line: int) -> int | None:
        if frame.f_code is not function.__code__:
            return None
        start, end = source.spans[line - 1]
        if end - start > 1:
            current = frame.f_locals.get("layer", frame.f_locals.get("q"))
            items = frame.f_locals["l" if "layer" in frame.f_locals else "p"]
            start = next((i for i in range(start, end) if items[i] is current), start)
        return start if start < calls else None

    return failed_call
