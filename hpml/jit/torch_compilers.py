"""PyTorch's compilers side by side: what the first call costs, what they made, where they break."""

from __future__ import annotations

import copy
import re
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hpml.base.environment import quick
from hpml.base.errors import describe
from hpml.base.tables import Table

from .compilers import find_cpp_compiler
from .errors import JitError


def compiler_of_this_run() -> tuple[dict[str, str], str]:
    """Return what to give to `torch.compile`, and what to say of it.

    Its own compiler needs one for C++, and takes long; else the stage before it stands in.

    >>> options, note = compiler_of_this_run()
    >>> options in ({}, {"backend": "aot_eager"})
    True
    """
    stand_in: dict[str, str] = {"backend": "aot_eager"}
    if quick():
        return stand_in, "a short run only records its graph and compiles nothing"
    if find_cpp_compiler() is None:
        return stand_in, "there is no C++ compiler, so it records its graph and compiles nothing"
    return {}, "its usual compiler, Inductor, wrote C++ and had it compiled"


class FirstCall(NamedTuple):
    """What it takes until a function is compiled: the call that made it, and its first call."""

    function: Callable[..., Any]
    making: float
    first: float

    @property
    def seconds(self) -> float:
        """Both together."""
        return self.making + self.first


def first_calls(
    ways: Mapping[str, Callable[[], Callable[..., Any]]], *arguments: Any
) -> dict[str, FirstCall]:
    """Make and call each function for the first time; check that all give the same.

    Args:
        ways: by name, a function without arguments that returns what is to be called, such as
            ``lambda: torch.compile(f)``. The first is what the others have to agree with.
        arguments: what it is called with.

    Returns:
        By name the function, ready for measuring, with the seconds that making it and its first
        call took: once, so without a spread.

    Raises:
        JitError: none are given.
        JitError: one gives something else than the first.

    >>> import torch
    >>> ready = first_calls({"eager": lambda: torch.relu}, torch.ones(2))
    >>> ready["eager"].seconds > 0
    True
    """
    if not isinstance(ways, Mapping) or not ways:
        raise JitError("ways: expected at least one function by its name, got none")
    ready: dict[str, FirstCall] = {}
    expected: Any = None
    for name, make in ways.items():
        start = time.perf_counter()
        function = make()
        made = time.perf_counter()
        result = function(*arguments)
        done = time.perf_counter()
        if ready:
            _same(next(iter(ready)), expected, name, result)
        else:
            # The next one may write into what this one returned.
            expected = copy.deepcopy(result.detach() if hasattr(result, "detach") else result)
        ready[name] = FirstCall(function, made - start, done - made)
    return ready


def _same(name: str, expected: Any, other: str, result: Any) -> None:
    import torch

    try:
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5)
    except AssertionError as error:
        reason = str(error).splitlines()[0]
        raise JitError(f"{other} returned a different result than {name}: {reason}") from None


def graph_breaks(function: Callable[..., Any], *arguments: Any) -> Table:
    """Return where `torch.compile` has to leave its graph and go back to Python, and why.

    Returns:
        A table with the columns ``line``, ``source`` and ``why``; no rows for one whole graph.

    Raises:
        JitError: it is no function.

    >>> import torch
    >>> def f(x):
    ...     return x * 2
    >>> graph_breaks(f, torch.ones(2)).rows
    ()
    """
    if not callable(function):
        raise JitError(f"function: expected something to call, got {describe(function)}")
    import torch

    torch.compiler.reset()
    found = torch._dynamo.explain(function)(*arguments)
    torch.compiler.reset()
    rows = []
    for each in found.break_reasons:
        frame = each.user_stack[-1] if each.user_stack else None
        source = (frame and frame.line) or ""
        rows.append((frame and frame.lineno, source, _in_words(each.reason)))
    name = getattr(function, "__name__", type(function).__name__)
    return Table(("line", "source", "why"), rows, title=f"{name}: {found.graph_count} graphs")


_WORDS = (
    ("generic_jump", "Python decides by the value of a tensor"),
    (r"Tensor\.item\(\)", "a tensor's value becomes a number of Python"),
    (r"builtin operator `(\w+)`", r"a graph cannot hold a call of \1"),
    (r"Explanation: ([^\n]+)", r"\1"),
    (r"\s*([^\n]+)", r"\1"),
)
"""Patterns in a reason and the text shown for each; the first match counts."""


def _in_words(reason: str) -> str:
    found = (match.expand(text) for sign, text in _WORDS if (match := re.search(sign, reason)))
    return next(found, reason)


def torchscript_graphs(function: Callable[..., Any], *arguments: Any) -> dict[str, str]:
    """Trace a function and return TorchScript's graph of it, as recorded and as optimised.

    The graph that runs is made from the first calls, which note types and shapes.

    >>> import torch
    >>> graphs = torchscript_graphs(lambda x: (x * 2 + 1).relu(), torch.ones(3))
    >>> "aten::mul" in graphs["recorded"], sorted(graphs)
    (True, ['optimised', 'recorded'])
    """
    import torch

    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore", DeprecationWarning)  # the lab shows and explains it
        traced = torch.jit.trace(function, arguments)  # type: ignore[no-untyped-call]
        for _ in range(3):
            traced(*arguments)
        graph = torch._C._last_executed_optimized_graph()
    return {"recorded": _short(traced.graph), "optimised": _short(graph)}


def _short(graph: Any) -> str:
    """Return a graph's text without places in files, which say nothing here."""
    text = re.sub(r"\s*# .*", "", str(graph))
    text = re.sub(r"(, )?(strides=\[[^\]]*\]|requires_grad=\d|device=\w+(:\d)?)(, )?", r"\1", text)
    return re.sub(r"(Float|Double|Long)\((.*?)(, )?\)", r"\1(\2)", text).strip()


def inductor_loops(function: Callable[..., Any], *arguments: Any) -> str:
    """Return the loops in C++ that `torch.compile`'s usual compiler writes for a function.

    Casts of constants and checks of indices are left out. It compiles, which takes seconds.

    Raises:
        JitError: it wrote no C++, as for a GPU or for what is a call of a library.
    """
    import torch
    from torch._inductor.utils import run_and_get_code

    torch.compiler.reset()
    _, sources = run_and_get_code(torch.compile(function), *arguments)
    torch.compiler.reset()
    kernels = re.findall(r'^extern "C".*?^\}', "\n".join(sources), re.DOTALL | re.MULTILINE)
    if not kernels:
        name = getattr(function, "__name__", type(function).__name__)
        raise JitError(f"{name}: expected loops in C++, and torch.compile wrote none")
    return _plain_loops("\n\n".join(kernels))


def _plain_loops(text: str) -> str:
    text = re.sub(r"(?<=\d)L\b", "", text)
    text = re.sub(r"static_cast<\w+>\(([^()]*)\)", r"\1", text)
    dull = r"integer_div_error|C10_LIKELY|#pragma|^\s*[{}]$"
    return "\n".join(line for line in text.splitlines() if not re.search(dull, line))
