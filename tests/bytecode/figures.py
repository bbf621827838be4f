"""The figures that describe the stack machine, measured: ``python -m tests.bytecode.figures``.

Coverage of opcodes, numbers of cases, steps per second, and the time of a run and of a trace
beside CPython's own. One Python each time; ``--json`` prints one object.
"""

from __future__ import annotations

import argparse
import contextlib
import dis
import io
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from hpml.bytecode import run, trace
from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.machine.opcodes.versions import HANDLERS, LEFT_OUT
from tests.bytecode import library, offsets
from tests.bytecode.against_cpython import PROGRAMS
from tests.bytecode.cases import corpus


def possible_opcodes() -> tuple[list[str], dict[str, str]]:
    """Return the opcodes that a plain function can contain, and why each other one is left out."""
    handlers = HANDLERS[python_version()]
    left_out = {}
    possible = []
    for name in sorted(dis.opmap):
        if name.startswith("INSTRUMENTED_"):
            left_out[name] = "sys.monitoring puts it in the place of another"
        elif name in LEFT_OUT and name not in handlers:
            left_out[name] = LEFT_OUT[name]
        else:
            possible.append(name)
    return possible, left_out


def executed_opcodes() -> set[str]:
    """Return the opcodes that the corpus executes on the machine."""
    seen: set[str] = set()
    with contextlib.redirect_stdout(io.StringIO()):
        for function in corpus().values():
            seen |= offsets.opcodes_by_machine(function)
    return seen


def coverage() -> dict[str, Any]:
    """Return how many of the possible opcodes have a handler, and how many the corpus executes."""
    possible, left_out = possible_opcodes()
    handlers = HANDLERS[python_version()]
    executed = executed_opcodes()
    return {
        "possible": len(possible),
        "handled": len([name for name in possible if name in handlers]),
        "executed by the corpus": len([name for name in possible if name in executed]),
        "without a handler": [name for name in possible if name not in handlers],
        "not executed by the corpus": [name for name in possible if name not in executed],
        "left out": left_out,
    }


def workload(n: int) -> int:
    """Do some of everything: arithmetic, branches, a loop, calls, a list, a handled exception."""

    def step(value: int) -> int:
        return value * 3 + 1 if value % 2 else value // 2

    seen = []
    for start in range(1, n):
        value = start
        while value != 1:
            value = step(value)
        try:
            seen.append(100 // (start % 7))
        except ZeroDivisionError:
            seen.append(0)
    return sum(seen)


def speed(rounds: int = 7, n: int = 60) -> dict[str, Any]:
    """Return times of the workload: native, on the machine, and traced, in interleaved rounds."""
    contenders: dict[str, Callable[[], Any]] = {
        "native": lambda: workload(n),
        "run": lambda: run(workload, n),
        "trace": lambda: trace(workload, n),
    }
    steps = len(trace(workload, n))
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            repeats = 50 if name == "native" else 1
            begun = time.perf_counter()
            for _ in range(repeats):
                contender()
            samples[name].append((time.perf_counter() - begun) / repeats)
    median = {name: statistics.median(times) for name, times in samples.items()}
    return {
        "steps": steps,
        "rounds": rounds,
        "seconds": median,
        "steps per second, run": steps / median["run"],
        "steps per second, trace": steps / median["trace"],
        "run / native": statistics.median(
            a / b for a, b in zip(samples["run"], samples["native"], strict=True)
        ),
        "trace / native": statistics.median(
            a / b for a, b in zip(samples["trace"], samples["native"], strict=True)
        ),
    }


def figures() -> dict[str, Any]:
    """Return all figures of the Python that runs this."""
    return {
        "python": python_version(),
        "opcodes": coverage(),
        "cases": {
            "corpus": len(corpus()),
            "standard library": len(library.CASES),
            "generated programs": PROGRAMS,
        },
        "speed": speed(),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    found = figures()
    if parser.parse_args().json:
        print(json.dumps(found))
        return
    opcodes, cases, times = found["opcodes"], found["cases"], found["speed"]
    print(f"Python {found['python']}")
    print(f"  opcodes handled: {opcodes['handled']} of {opcodes['possible']} possible")
    print(f"  executed by the corpus: {opcodes['executed by the corpus']}")
    print(f"  without a handler: {', '.join(opcodes['without a handler']) or 'none'}")
    print(f"  not executed by the corpus: {', '.join(opcodes['not executed by the corpus'])}")
    print(f"  cases: {', '.join(f'{name} {number:,}' for name, number in cases.items())}")
    print(f"  steps a second: run {times['steps per second, run']:,.0f}, ", end="")
    print(f"trace {times['steps per second, trace']:,.0f}")
    print(f"  run / native {times['run / native']:.0f}, trace / native ", end="")
    print(f"{times['trace / native']:.0f}")


if __name__ == "__main__":
    main()
