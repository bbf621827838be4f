"""Time four operations as loops in Python and C, and as NumPy and torch calls."""

from __future__ import annotations

import ctypes
import functools
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hpml.base.page import Page, say, show_code
from hpml.benchmark import Comparison, compare
from hpml.jit.compilers import ask, compiler_version, find_compiler

SLOW = 100
"""The largest number of elements for loops over arrays and tensors, to fit a sample in a time slice
of the operating system."""

_FLAGS = ("-O3", "-fno-math-errno", "-shared", "-fPIC")
_ARGUMENTS = "const double *a, const double *b, double *out, long long n"
_LOOP = "for (long long i = 0; i < n; i++)"


def add_loop(a: Any, b: Any, out: Any) -> None:
    """Write the sums of the elements of `a` and `b` into `out`."""
    for i in range(len(a)):
        out[i] = a[i] + b[i]


def multiply_loop(a: Any, b: Any, out: Any) -> None:
    """Write the products into `out`."""
    for i in range(len(a)):
        out[i] = a[i] * b[i]


def root_loop(a: Any, b: Any, out: Any) -> None:
    """Write the square roots of `a` into `out`."""
    for i in range(len(a)):
        out[i] = math.sqrt(a[i])


def total_loop(a: Any, b: Any, out: Any) -> None:
    """Write the sum of `a` into the first place of `out`."""
    total = 0.0
    for i in range(len(a)):
        total = total + a[i]
    out[0] = total


class Operation(NamedTuple):
    """An operation: its C name and loop, its Python loop, and its call of a library."""

    name: str
    c: str
    loop: Callable[[Any, Any, Any], None]
    call: Callable[..., Any]  # of NumPy or torch and three arrays


OPERATIONS = {
    "a + b": Operation("add", f"{_LOOP} out[i] = a[i] + b[i];", add_loop,
                       lambda library, a, b, out: library.add(a, b, out=out)),
    "a * b": Operation("multiply", f"{_LOOP} out[i] = a[i] * b[i];", multiply_loop,
                       lambda library, a, b, out: library.multiply(a, b, out=out)),
    "sqrt(a)": Operation("root", f"{_LOOP} out[i] = sqrt(a[i]);", root_loop,
                         lambda library, a, b, out: library.sqrt(a, out=out)),
    "sum of a": Operation("total", f"double sum = 0; {_LOOP} sum += a[i]; out[0] = sum;",
                          total_loop, lambda library, a, b, out: library.sum(a)),
}  # fmt: skip


class CompiledLoops(NamedTuple):
    """Compiled loops over float64 arrays, called ``"C loop"`` or ``"Numba loop"``.

    ``run(operation, a, b, out)`` returns a function without arguments that runs a loop.
    """

    made_by: str
    name: str
    run: Callable[[str, Any, Any, Any], Callable[[], object]]


def c_source() -> str:
    """Return C source with one function per operation."""
    functions = [f"void {each.name}({_ARGUMENTS}) {{ {each.c} }}\n" for each in OPERATIONS.values()]
    return "#include <math.h>\n" + "".join(functions)


def compiled_loops() -> CompiledLoops:
    """Compile the loops with a C compiler if there is one, otherwise with Numba."""
    compiler = find_compiler()
    if compiler is None:
        return _by_numba("there is no C compiler here")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder, "loops.c").write_text(c_source(), encoding="utf-8")
        # -lm comes last, because the linker resolves symbols in command-line order.
        done = ask([compiler, *_FLAGS, "loops.c", "-o", "loops.so", "-lm"], folder)
        if done.returncode:
            return _by_numba(f"{compiler} could not build the loops")
        library = ctypes.CDLL(str(Path(folder, "loops.so")))

    def run(name: str, a: Any, b: Any, out: Any) -> Callable[[], object]:
        function = getattr(library, name)
        function.restype = None
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, out)]
        n = ctypes.c_longlong(len(a))

        def call(_keep: object = (a, b, out)) -> None:
            function(*pointers, n)

        return call

    return CompiledLoops(f"{compiler_version(compiler)}, {_FLAGS[0]}", "C loop", run)


def _by_numba(why: str) -> CompiledLoops:
    import numba
    import numpy as np

    functions = {each.name: numba.njit(each.loop) for each in OPERATIONS.values()}
    for function in functions.values():  # the first call compiles, outside the measurement
        function(np.ones(2), np.ones(2), np.ones(2))

    def run(name: str, a: Any, b: Any, out: Any) -> Callable[[], object]:
        return functools.partial(functions[name], a, b, out)

    return CompiledLoops(f"Numba {numba.__version__} ({why})", "Numba loop", run)


def compiler_says(source: str) -> Page:
    """Return the C compiler's messages about a source text, without running it."""
    compiler = find_compiler()
    if compiler is None:
        return say("There is no C compiler here to ask. `hpml doctor` says what labs use instead.")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "lecture.c").write_text(source, encoding="utf-8")
        # Run in the folder, so that messages contain the file name without its path.
        command = [compiler, "-fsyntax-only", "-fdiagnostics-color=never", "lecture.c"]
        done = ask(command, folder)
    return show_code(f"{compiler} lecture.c\n{done.stderr.strip() or 'no message'}")


def measure_loops(
    operation: str,
    n: int,
    compiled: CompiledLoops,
    *,
    rounds: int = 15,
    min_sample_time: float = 2e-3,
    only: Sequence[str] | None = None,
) -> Comparison:
    """Time the variants of an operation on `n` numbers, in seconds per number."""
    import numpy as np
    import torch

    forms = OPERATIONS[operation]
    rng = np.random.default_rng(1)
    arrays = [rng.random(n) + 0.5 for _ in range(2)] + [np.zeros(n)]
    tensors = [torch.from_numpy(array.copy()) for array in arrays]
    runs: dict[str, Callable[[], object]] = {
        "loop over a tensor": functools.partial(forms.loop, *[t[:SLOW] for t in tensors]),
        "loop over an array": functools.partial(forms.loop, *[a[:SLOW].copy() for a in arrays]),
        "loop over a list": functools.partial(forms.loop, *[a.tolist() for a in arrays]),
        "torch call": functools.partial(forms.call, torch, *tensors),
        "NumPy call": functools.partial(forms.call, np, *arrays),
        compiled.name: compiled.run(forms.name, *[a.copy() for a in arrays]),
    }
    counts = dict.fromkeys(runs, n) | dict.fromkeys(list(runs)[:2], min(n, SLOW))
    chosen = {name: runs[name] for name in only or runs}
    baseline = "loop over a list"
    found = compare(chosen, baseline=baseline, rounds=rounds, min_sample_time=min_sample_time)
    return found.per(counts)
