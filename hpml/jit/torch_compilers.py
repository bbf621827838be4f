"""Inspect PyTorch's compilers: the time of the first call, generated code, and graph breaks."""

from __future__ import annotations

import copy
import re
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hpml.base.tables import Table

from .errors import JitError
from .torch_private import private


class FirstCall(NamedTuple):
    """A compiled function, with the seconds for making it and for its first call."""

    function: Callable[..., Any]
    making: float
    first: float

    @property
    def seconds(self) -> float:
        """The total of both times."""
        return self.making + self.first


def first_calls(
    factories: Mapping[str, Callable[[], Callable[..., Any]]], *arguments: Any
) -> dict[str, FirstCall]:
    """Make each function, call it for the first time, and check that all results agree.

    Args:
        factories: for each name, a function without arguments that makes the function, such as
            ``lambda: torch.compile(f)``. The results must agree with that of the first.
        arguments: the arguments of the call.

    Returns:
        For each name, the function and the seconds for making it and for its first call, each
        measured once.

    Raises:
        JitError: a result differs from the first.

    >>> import torch
    >>> ready = first_calls({"eager": lambda: torch.relu}, torch.ones(2))
    >>> ready["eager"].seconds > 0
    True
    """
    ready: dict[str, FirstCall] = {}
    expected: Any = None
    for name, make in factories.items():
        given = copy.deepcopy(arguments)  # a function may change them
        start = time.perf_counter()
        function = make()
        called = time.perf_counter()
        result = function(*given)
        end = time.perf_counter()
        if ready:
            _check_same(next(iter(ready)), expected, name, result)
        else:
            # The next function may overwrite this result.
            expected = copy.deepcopy(result.detach() if hasattr(result, "detach") else result)
        ready[name] = FirstCall(function, called - start, end - called)
    return ready


def _check_same(name: str, expected: Any, other: str, result: Any) -> None:
    import torch

    try:
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5, equal_nan=True)
    except AssertionError as error:
        raise JitError(
            object=other,
            expected=f"the result of {name}",
            received=str(error).splitlines()[0].rstrip("."),
            remedy="Compare functions that compute the same.",
        ) from None


def graph_breaks(function: Callable[..., Any], *arguments: Any) -> Table:
    """Return the graph breaks, where `torch.compile` returns to Python.

    Returns:
        A table with the columns ``line``, ``source`` and ``why``; no rows for a single graph.

    >>> import torch
    >>> def f(x):
    ...     return x * 2
    >>> graph_breaks(f, torch.ones(2)).rows
    ()
    """
    import torch

    torch.compiler.reset()
    found = private("torch._dynamo.explain")(function)(*arguments)
    torch.compiler.reset()
    rows = []
    for graph_break in found.break_reasons:
        frame = graph_break.user_stack[-1] if graph_break.user_stack else None
        source = (frame and frame.line) or ""
        rows.append((frame and frame.lineno, source, _plain_reason(graph_break.reason)))
    name = getattr(function, "__name__", type(function).__name__)
    return Table(("line", "source", "why"), rows, title=f"{name}: {found.graph_count} graphs")


_REASONS = (
    ("generic_jump", "an if or a loop depends on the value of a tensor"),
    (r"Tensor\.item\(\)", "a tensor's value is converted to a Python number"),
    (r"builtin operator `(\w+)`", r"a graph cannot contain a call of \1"),
    (r"Explanation: ([^\n]+)", r"\1"),
    (r"\s*([^\n]+)", r"\1"),
)
"""Patterns in a reason and the text shown for each; the first match counts."""


def _plain_reason(reason: str) -> str:
    texts = (m.expand(text) for pattern, text in _REASONS if (m := re.search(pattern, reason)))
    return next(texts, reason)


def torchscript_graphs(function: Callable[..., Any], *arguments: Any) -> dict[str, str]:
    """Trace a function and return TorchScript's graph of it, as recorded and as optimised.

    TorchScript optimises the graph with the types and shapes of the first calls.

    >>> import torch
    >>> graphs = torchscript_graphs(lambda x: (x * 2 + 1).relu(), torch.ones(3))
    >>> "aten::mul" in graphs["recorded"], sorted(graphs)
    (True, ['optimised', 'recorded'])
    """
    import torch

    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore", DeprecationWarning)  # that TorchScript is deprecated
        traced = torch.jit.trace(function, arguments)  # type: ignore[no-untyped-call]
        for _ in range(3):
            traced(*arguments)
        graph = private("torch._C._last_executed_optimized_graph")()
    return {"recorded": _short(traced.graph), "optimised": _short(graph)}


def _short(graph: Any) -> str:
    """Return a graph's text without source locations, strides and devices."""
    text = re.sub(r"\s*# .*", "", str(graph))
    text = re.sub(r"(, )?(strides=\[[^\]]*\]|requires_grad=\d|device=\w+(:\d)?)(, )?", r"\1", text)
    return re.sub(r"(Float|Double|Long)\((.*?)(, )?\)", r"\1(\2)", text).strip()


def inductor_loops(function: Callable[..., Any], *arguments: Any) -> str:
    """Return Inductor's C++ loops, without casts of constants and checks of indices.

    Raises:
        JitError: there is no C++, as on a GPU or for a call of a library.
    """
    import torch

    run_and_get_code = private("torch._inductor.utils.run_and_get_code")
    torch.compiler.reset()
    _, sources = run_and_get_code(torch.compile(function), *arguments)
    torch.compiler.reset()
    kernels = re.findall(r'^extern "C".*?^\}', "\n".join(sources), re.DOTALL | re.MULTILINE)
    if not kernels:
        name = getattr(function, "__name__", type(function).__name__)
        raise JitError(
            object=name,
            expected="loops in C++",
            received="none that torch.compile generated for these arguments",
            remedy="Pass tensors on the CPU to a function that computes element by element.",
        )
    return _plain_loops("\n\n".join(kernels))


def _plain_loops(text: str) -> str:
    text = re.sub(r"(?<=\d)L\b", "", text)
    text = re.sub(r"static_cast<\w+>\(([^()]*)\)", r"\1", text)
    omitted = r"integer_div_error|C10_LIKELY|#pragma|^\s*[{}]$"
    return "\n".join(line for line in text.splitlines() if not re.search(omitted, line))
