"""From a graph to Python source, and from source to a function.

Two forms of the same program. :func:`documented_source` gives every value a name of its own, as
the documents print it; it is the one to read. :func:`running_source` uses the names of dead values
again, so that the forward keeps no more memory alive than one written by hand; it is the one that
runs.

A straight chain of layers becomes a loop, ``for layer in l[a:b]:``, when it is long enough.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from .errors import ArgumentError
from .graph import Call, Graph
from .order import assign_slots, use_counts

INDENT = "    "


class Source(NamedTuple):
    """Generated Python source.

    Attributes:
        text: the source of one function.
        spans: for each line the calls it makes: the first, and one past the last.
    """

    text: str
    spans: tuple[tuple[int, int], ...]


class _Names(NamedTuple):
    """How the values of a program are called, and how its loops run."""

    of: list[str]
    loop_variable: Callable[[int], str]


def documented_source(graph: Graph, min_loop_length: float) -> Source:
    """Return the source in the form of the documents: one name a value.

    Args:
        graph: what to compute.
        min_loop_length: the least length of a chain that is written as a loop; at least 2.

    Raises:
        ArgumentError: the length is below 2.
    """
    width = len(str(max(len(graph.inputs), len(graph.outputs), len(graph.calls))))
    names = [""] * len(graph.values)
    for position, call in enumerate(graph.calls):
        for place, result in enumerate(call.results):
            if result is not None:
                suffix = f"_{place}" if call.unpacks else ""
                names[result] = f"h{position:0{width}}{suffix}"
    _name_ends(graph, names, width)
    return _write(
        graph,
        _Names(names, lambda value: names[value]),
        min_loop_length,
        head="_generated_forward",
        comments=False,
    )


def running_source(graph: Graph, min_loop_length: float) -> Source:
    """Return the source that is run: names of dead values are used again.

    Args:
        graph: what to compute.
        min_loop_length: the least length of a chain that is written as a loop; at least 2.

    Raises:
        ArgumentError: the length is below 2.
    """
    slots = assign_slots(graph)
    width = len(str(max(len(graph.inputs), len(graph.outputs), *slots, 0)))
    slot_names = [f"h{slot - len(graph.inputs):0{width}}" for slot in slots]
    names = list(slot_names)
    _name_ends(graph, names, width)
    return _write(
        graph,
        _Names(names, lambda value: slot_names[value]),
        min_loop_length,
        head="forward",
        comments=True,
    )


def _name_ends(graph: Graph, names: list[str], width: int) -> None:
    for position, value in reversed(list(enumerate(graph.outputs))):
        names[value] = f"o{position:0{width}}"
    for position, value in enumerate(graph.inputs):
        names[value] = f"i{position:0{width}}"


def find_chains(graph: Graph, min_length: float) -> dict[int, int]:
    """Return the straight chains of calls: from the first call to one past the last.

    In a chain every call takes the result of the call before it and nothing else, and nobody else
    reads that result. A value that is an output ends its chain.

    Raises:
        ArgumentError: ``min_length`` is below 2.
    """
    if not min_length >= 2:
        raise ArgumentError(
            f"the least length of a loop (config.CODEGEN_MIN_LOOP_LENGTH) expected a number of at "
            f"least 2, received {min_length!r}; float('inf') writes no loops"
        )
    counts = use_counts(graph)
    outputs = set(graph.outputs)
    chains = {}
    start = 0
    calls = graph.calls
    while start < len(calls):
        end = start + 1
        if _is_simple(calls[start]):
            result = calls[start].results[0]
            while (
                end < len(calls)
                and calls[end].arguments == (result,)
                and _is_simple(calls[end])
                and result is not None
                and counts[result] == 1
                and result not in outputs
            ):
                result = calls[end].results[0]
                end += 1
        if end - start >= min_length:
            chains[start] = end
        start = end
    return chains


def _is_simple(call: Call) -> bool:
    return len(call.arguments) == 1 and not call.unpacks


def _write(
    graph: Graph, names: _Names, min_loop_length: float, *, head: str, comments: bool
) -> Source:
    of = names.of
    chains = find_chains(graph, min_loop_length)
    parameters = "".join(f", {of[value]}" for value in graph.inputs)
    lines = [f"def {head}(self{parameters}):", f"{INDENT}l = self._execution_order_layers"]
    spans = [(0, 0), (0, 0)]
    calls = graph.calls
    position = 0
    while position < len(calls):
        call = calls[position]
        end = chains.get(position, position + 1)
        span = (position, end)
        if position in chains:
            last = calls[end - 1].results[0]
            assert last is not None  # a chain has one result
            variable, start = names.loop_variable(last), of[call.arguments[0]]
            comment = f"  # {call.name} to {calls[end - 1].name}" if comments else ""
            if variable != start:
                lines.append(f"{INDENT}{variable} = {start}")
            lines.append(f"{INDENT}for layer in l[{position}:{end}]:{comment}")
            lines.append(f"{INDENT}{INDENT}{variable} = layer({variable})")
            if of[last] != variable:
                lines.append(f"{INDENT}{of[last]} = {variable}")
        else:
            results = ", ".join("_" if r is None else of[r] for r in call.results)
            if call.unpacks and len(call.results) == 1:
                results += ","
            star = "*" if call.unpacks else ""
            arguments = ", ".join([star + of[argument] for argument in call.arguments])
            comment = f"  # {call.name}" if comments else ""
            lines.append(f"{INDENT}{results} = l[{position}]({arguments}){comment}")
        spans.extend([span] * (len(lines) - len(spans)))
        position = end
    lines.append(f"{INDENT}return {', '.join([of[value] for value in graph.outputs])}")
    spans.append((len(calls), len(calls)))
    return Source("\n".join(lines) + "\n", tuple(spans))


_counter = itertools.count(1)


def compile_source(source: Source) -> Callable[..., Any]:
    """Compile generated source and return its function.

    The function has a file name of its own that ``linecache`` knows, so a traceback, a debugger and
    ``inspect.getsource`` show its lines. The lines are forgotten with the function.
    """
    file_name = f"<hpml.symbolic forward {next(_counter)}>"
    scope: dict[str, Any] = {"__name__": "hpml.symbolic.generated"}
    exec(compile(source.text, file_name, "exec"), scope)
    function: Callable[..., Any] = next(v for k, v in scope.items() if not k.startswith("__"))
    lines = source.text.splitlines(keepends=True)
    linecache.cache[file_name] = (len(source.text), None, lines, file_name)
    weakref.finalize(function, linecache.cache.pop, file_name, None)
    return function
