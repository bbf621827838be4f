"""The lecture's loops in C, and the numbers for the roofline plot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hpml.base.page import Page, say
from hpml.benchmark import Kernel, Limits, seconds_at
from hpml.course.labs.lab_08_fusion_and_compilers.exercises import count_bytes
from hpml.course.labs.lab_08_fusion_and_compilers.rungs import compiled, multiply_adds
from hpml.course.labs.lab_08_fusion_and_compilers.rungs_in_c import peak_in_c
from hpml.course.lesson.racing import answering, race
from hpml.jit import JitError, build_extension

C_SOURCE = """\
#include <Python.h>
#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED
#endif
#define ALL for (Py_ssize_t i = 0; i < n; i++) for (Py_ssize_t j = 0; j < m; j++)

EXPORTED void three_loops(const float *x, const float *y, float *xy, Py_ssize_t n, Py_ssize_t m)
{
    ALL xy[i * m + j] = x[i] * y[j];
    ALL xy[i * m + j] = xy[i * m + j] * 100;
    ALL xy[i * m + j] = xy[i * m + j] + 10;
}

EXPORTED void one_loop(const float *x, const float *y, float *xy, Py_ssize_t n, Py_ssize_t m)
{
    ALL xy[i * m + j] = x[i] * y[j] * 100 + 10;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "loops_in_c", NULL, -1};
PyMODINIT_FUNC PyInit_loops_in_c(void) { return PyModule_Create(&definition); }
"""


def loops_in_c() -> tuple[dict[str, Callable[..., None]], Page]:
    """Return the lecture's loops as functions of float32 arrays, or none without a compiler."""
    try:
        module = build_extension(C_SOURCE, "loops_in_c")
    except JitError as error:
        return {}, say(f"The loops in C are left out: {str(error).splitlines()[0]}")
    library = ctypes.CDLL(str(module.__file__))
    kernels = {"three loops, C": library.three_loops, "one loop, C": library.one_loop}
    runs: dict[str, Callable[..., None]]
    runs = {name: partial(_call, kernel) for name, kernel in kernels.items()}
    return runs, say("The loops in C were built.")


def _call(kernel: Callable[..., object], x: Any, y: Any, xy: Any) -> None:
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, xy)]
    kernel(*pointers, *map(ctypes.c_ssize_t, xy.shape))


def bytes_of(
    bytes_moved: Callable[..., Any],
    ops: Sequence[tuple[str, Sequence[str]]],
    shapes: Mapping[str, Sequence[int]],
) -> tuple[int, int, str]:
    """Return the bytes of the operations one by one and in one loop, and whose function it used."""
    right = count_bytes(ops, shapes, False), count_bytes(ops, shapes, True)
    yours = {"bytes_moved": lambda: [bytes_moved(ops, shapes, fused) for fused in (False, True)]}
    ready = answering(yours, right)
    return *right, "your bytes_moved" if ready else "the lab, until bytes_moved is written"


def limits_and_works(
    runs: Mapping[str, Callable[[], object]],
    counts: Mapping[str, tuple[float, float]],
    megabytes: int,
) -> tuple[Limits, dict[str, Kernel]]:
    """Measure kernels and the machine's limits in the same rounds, on one core.

    `counts` are the operations and bytes of each kernel. The bandwidth is that of copying an array
    or of changing one in place, whichever is faster. The peak is that of fused multiply-adds on
    numbers in registers, compiled by Numba or, if that is faster, in C.
    """
    import numpy as np

    source = np.ones(megabytes * 2**20 // 4, np.float32)
    target = np.empty_like(source)
    near, result = np.full(2**12, 0.5, np.float32), np.empty(2**12, np.float32)
    kernel = compiled(multiply_adds)
    alone: dict[str, Callable[[], object]] = {"multiply-adds": lambda: kernel(near, result)}
    operations = {"multiply-adds": 64 * near.size}
    if in_c := peak_in_c(10_000):
        alone["multiply-adds, C"], operations["multiply-adds, C"] = in_c
    raced = race(
        {
            **runs,
            "copying": lambda: np.copyto(target, source),
            "scaling": lambda: np.multiply(target, -1, out=target),  # by 2 it would overflow
            **alone,
        }
    )
    seconds = {name: times[0] for name, times in seconds_at({0: raced}).items()}
    works = {name: Kernel(*counts[name], seconds[name]) for name in counts}
    peak = max(count / seconds[name] for name, count in operations.items())
    return Limits(2 * source.nbytes / min(seconds["copying"], seconds["scaling"]), peak), works
