"""The argument checks that all profilers share."""

from __future__ import annotations

import inspect
import sys
import threading
import types
from typing import Any

from hpml.base.errors import describe
from hpml.profiling.errors import ProfilingError
from hpml.profiling.torch_private import private


def check_function(caller: str, function: object) -> None:
    """Raise an error unless `function` is callable and runs when it is called."""
    if not callable(function):
        raise ProfilingError(
            object=f"function of {caller}",
            expected="a function",
            received=describe(function),
            remedy="Pass the function itself, f or lambda: f(x), not its result f(x).",
        )
    called = function if hasattr(function, "__code__") else type(function).__call__
    later = (
        inspect.isgeneratorfunction,
        inspect.iscoroutinefunction,
        inspect.isasyncgenfunction,
    )
    if any(test(each) for test in later for each in (function, called)):
        raise ProfilingError(
            object=f"function of {caller}",
            expected="a function that runs when it is called",
            received=f"{describe(function)}, which only returns a generator or coroutine",
            remedy=f"Finish it inside, as in {caller}(lambda: list(f(x))).",
        )


sampling = threading.Lock()
"""Held while `sample` runs."""


def refuse_a_second_profiler(caller: str) -> None:
    """Raise a ProfilingError if a profiler is already running."""
    monitoring = getattr(sys, "monitoring", None)
    running: object = sys.getprofile()
    if running is None and monitoring is not None:
        running = monitoring.get_tool(monitoring.PROFILER_ID)
    if running is None and sampling.locked():
        running = "sample"
    if running is not None:
        raise ProfilingError(
            f"{caller} was called while another profiler is running ({describe(running)}).",
            object=caller,
            expected="no other profiler",
            received=describe(running),
            remedy="Stop the other one first: each would measure the other.",
        )


def refuse_two_torch_profilers(caller: str) -> None:
    """Raise a ProfilingError if `torch.profiler` is already running."""
    if private("torch.autograd._profiler_enabled")():
        raise ProfilingError(
            object=caller,
            expected="no other torch.profiler that is running",
            received="one that is",
            remedy="Stop it first: each would measure the other.",
        )


def traceable(caller: str, function: Any) -> tuple[types.CodeType, list[str], int]:
    """Return a Python function's code, source lines and first line number, or raise an error."""
    check_function(caller, function)
    plain = inspect.unwrap(function)
    code = getattr(plain, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise ProfilingError(
            object=f"function of {caller}",
            expected="a function written in Python",
            received=describe(function),
            remedy="Pass the method that it runs, such as model.forward.",
        )
    if sys.gettrace() is not None:
        raise ProfilingError(
            f"{caller} was called while {describe(sys.gettrace())} traces this program.",
            object=caller,
            expected="a program that no other tool traces",
            received=describe(sys.gettrace()),
            remedy="Stop it first: a debugger, coverage, or what called sys.settrace.",
        )
    try:
        return code, *inspect.getsourcelines(code)
    except (OSError, TypeError):
        raise ProfilingError(
            f"The source of {code.co_name} is unknown, so its lines cannot be shown.",
            object=f"source of {code.co_name}",
            expected="lines in a file or a cell",
            received=f"none from {code.co_filename}",
            remedy="Define it in a file, or in a cell without a magic such as %%time.",
        ) from None
