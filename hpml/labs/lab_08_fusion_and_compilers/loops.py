"""The lecture's loops in C, and the numbers for the roofline plot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hpml.base.page import Page, say
from hpml.course.racing import answering, race
from hpml.jit import JitError, Limits, Work, build_extension, machine_limits
from hpml.labs.lab_08_fusion_and_compilers.exercises import count_bytes

C_SOURCE = """\
#include <Python.h>
#define ALL for (Py_ssize_t i = 0; i < n; i++) for (Py_ssize_t j = 0; j < m; j++)

void three_loops(const float *x, const float *y, float *xy, Py_ssize_t n, Py_ssize_t m)
{
    ALL xy[i * m + j] = x[i] * y[j];
    ALL xy[i * m + j] = xy[i * m + j] * 100;
    ALL xy[i * m + j] = xy[i * m + j] + 10;
}

void one_loop(const float *x, const float *y, float *xy, Py_ssize_t n, Py_ssize_t m)
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


def filled(kernel: Callable[..., Any], given: Sequence[Any], out: Any) -> Any:
    """Return the first rows that a kernel writes into `out`, or None if it wrote nothing."""
    import numpy as np

    out.fill(np.nan)
    kernel(*given, out)
    return None if np.isnan(out).all() else out[:50]


def limits_and_product(megabytes: int) -> tuple[Limits, Work]:
    """Measure the machine's limits, and PyTorch's matrix product."""
    import torch

    size = 512
    a = torch.rand(size, size)
    seconds = race({"torch.mm": lambda: a @ a})["torch.mm"].minimum
    product = Work(2 * size**3, 3 * size**2 * 4, seconds)
    limits = machine_limits(megabytes)
    # A speed that a kernel has reached is a lower bound of the peak.
    return replace(limits, peak=max(limits.peak, product.speed)), product
