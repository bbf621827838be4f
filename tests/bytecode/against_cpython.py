"""Compares the stack machine with the CPython that runs it.

``python -m tests.bytecode.against_cpython`` prints the numbers of cases and the disagreements.

Needs nothing but the standard library, so that it runs on every interpreter that is installed.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from hpml.bytecode import Machine, run
from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.own_code import is_user_code
from hpml.bytecode.safe_repr import short
from tests.bytecode import generated, offsets
from tests.bytecode.cases import corpus, from_text
from tests.bytecode.outcome import differences, outcome_of

PROGRAMS = 1000 if os.environ.get("HPML_LONG") else 200
"""How many generated programs are compared."""

Found = Iterator[tuple[str, Any]]
"""The name of each case, and what differs; nothing if all agrees."""


def compare_corpus() -> Found:
    """Run each function of the corpus natively and by the machine."""
    for name, function in corpus().items():
        yield name, differences(outcome_of(function), outcome_of(run, function))


def compare_programs(count: int = PROGRAMS) -> Found:
    """Run generated programs natively and by the machine."""
    for seed in range(count):
        function = from_text(generated.program(seed), f"<program {seed}>", "program")
        native = outcome_of(function, *generated.arguments(seed))
        machine = outcome_of(run, function, *generated.arguments(seed))
        yield f"program {seed}", differences(native, machine)


def compare_traces() -> Found:
    """Trace each function of the corpus: the same outcome, and steps that fit together."""
    gc.collect()  # what the generated programs have left speaks now
    for name, function in corpus().items():
        native = outcome_of(function)
        if name.startswith("naming.recursion"):
            yield name, {}  # they take many thousand steps
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            trace = Machine(max_steps=1_000_000).trace(function)
        wrong: dict[str, Any] = {}
        if (trace.exception and trace.exception.type) != (
            native["error"] and native["error"]["type"]
        ):
            wrong["exception"] = native["error"], trace.exception
        if native["error"] is None and trace.value is None:
            wrong["value"] = native["value"], trace.value
        if len(trace.printed) != native["length"]:
            wrong["printed"] = native["printed"], trace.printed
        # From 3.12 on, CPython reports no call that only creates a generator.
        begun = ("RESUME",) if sys.version_info >= (3, 12) else ("RETURN_GENERATOR", "RESUME")
        shown = {step.instruction.code.co_qualname for step in trace if step.opname in begun}
        shown |= {name for step in trace for name in step.ran}
        if _named(shown) != _named(functions_run_by_cpython(function)):
            wrong["functions"] = functions_run_by_cpython(function), shown
        for step in trace:
            below = len(step.stack_before) - step.popped
            if below < 0 or below + len(step.pushed) != len(step.stack_after):
                wrong[f"stack of step {step.index}"] = step.stack_before, step.stack_after
            if step.opname in ("RETURN_VALUE", "RETURN_CONST") and step.stack_after:
                wrong[f"left on the stack at step {step.index}"] = (), step.stack_after
        yield name, wrong


def functions_run_by_cpython(function: Callable[[], Any]) -> set[str]:
    """Return the names of the program's functions that run in a native call of `function`."""
    found = set()

    def profile(frame: FrameType, event: str, argument: object) -> None:
        is_module = frame.f_globals is function.__globals__
        if event == "call" and (is_module or is_user_code(frame.f_code)):
            found.add(frame.f_code.co_qualname)

    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(BaseException):
        sys.setprofile(profile)
        try:
            function()
        finally:
            sys.setprofile(None)
    return found


def _named(names: set[str]) -> set[str]:
    """Return the names without those of comprehensions, modules and annotations."""
    ends = {name: name.rpartition(".")[2] for name in names}
    return {
        name
        for name, end in ends.items()
        if end == "<lambda>" or not end.startswith(("<", "__annotate__"))
    }


def compare_offsets() -> Found:
    """Compare which instructions are executed, in which order, with what CPython reports."""
    for name, function in corpus().items():
        codes = offsets.codes_of(function.__code__)
        with contextlib.redirect_stdout(io.StringIO()):
            machine = offsets.by_machine(function, codes)
            native = offsets.by_cpython(function, {code for code, _ in machine})
        if name in offsets.SPECIAL or machine == native:
            yield name, {}
        else:
            first = next(
                (n for n, (a, b) in enumerate(zip(native, machine, strict=False)) if a != b),
                min(len(native), len(machine)),
            )
            yield name, {"offsets": (len(native), len(machine), short(native[first : first + 3]))}


SECTIONS: dict[str, Callable[[], Found]] = {
    "corpus": compare_corpus,
    "programs": compare_programs,
    "traces": compare_traces,
    "offsets": compare_offsets,
}


def result_of(section: str) -> dict[str, Any]:
    """Return how many cases a section has, and what differs in which."""
    begun = time.perf_counter()
    found = list(SECTIONS[section]())
    return {
        "cases": len(found),
        "seconds": round(time.perf_counter() - begun, 2),
        "disagreements": {name: repr(wrong) for name, wrong in found if wrong},
    }


def main() -> None:
    """Print the results of all sections as one JSON object."""
    results = {section: result_of(section) for section in SECTIONS}
    gc.collect()  # generators that a program left open say now that they are closed
    print(json.dumps({"python": python_version(), "sections": results}))


if __name__ == "__main__":
    main()
