"""Counts of function calls and instructions, which are the same on every machine."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from hpml.base import module_calls
from hpml.bytecode import count_instructions
from hpml.profiling.checks import check_function, refuse_a_second_profiler


@dataclass(frozen=True)
class CallCounts:
    """The calls of functions written in Python in one run, by (module, function)."""

    python: Mapping[tuple[str, str], int]

    def of(self, package: str) -> int:
        """Return the number of calls of a package's Python functions, such as ``"torch"``."""
        return sum(
            count
            for (module, _), count in self.python.items()
            if module == package or module.startswith(f"{package}.")
        )

    @property
    def total(self) -> int:
        """The number of calls of functions written in Python."""
        return sum(self.python.values())


@module_calls.measuring
def profile_calls(run: Callable[[], object]) -> CallCounts:
    """Run once and count the calls of functions written in Python with a profiling hook.

    Source: https://docs.python.org/3/library/sys.html#sys.setprofile

    >>> def twice():
    ...     return len([]) + len([])
    >>> profile_calls(twice).total
    1
    """
    python: Counter[tuple[str, str]] = Counter()

    def hook(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            module = str(frame.f_globals.get("__name__", "?"))
            # The last part only, for short names in tables.
            python[module, frame.f_code.co_qualname.rpartition("<locals>.")[2]] += 1

    check_function("profile_calls", run)
    refuse_a_second_profiler("profile_calls")
    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        run()
    finally:
        sys.setprofile(before)
    return CallCounts(dict(python))


@module_calls.measuring
def instructions_outside(package: str, run: Callable[[], object]) -> int:
    """Run once and count the bytecode instructions executed outside a package's functions.

    Raises:
        BytecodeError: if no such instruction was executed.

    >>> instructions_outside("torch", lambda: [n for n in range(100)]) > 300
    True
    """
    spec = importlib.util.find_spec(package)
    folders = tuple(spec.submodule_search_locations or ()) if spec else ()
    return count_instructions(
        run, within=lambda code: not any(Path(code.co_filename).is_relative_to(f) for f in folders)
    )
