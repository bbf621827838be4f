"""The kernel ladder in C: the rungs of `rungs`, then accumulators in registers and a packed panel.

The vectors of the upper rungs are an extension of GCC and Clang. The compiler turns one into as
many of the processor's own vectors as it takes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

from hpml.base.page import Page, say
from hpml.jit import CompileError, JitError, build_extension

SOURCE = """\
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED
#endif
#define FOR(i, first, end) for (Py_ssize_t i = (first); i < (end); i++)
#define SHAPES const float *x, const float *y, float *out, Py_ssize_t n, Py_ssize_t d, Py_ssize_t m

static void scaled(float *out, Py_ssize_t count)
{
    FOR(i, 0, count) out[i] = out[i] * 100;
    FOR(i, 0, count) out[i] = out[i] + 10;
}

EXPORTED void loops(SHAPES)
{
    FOR(i, 0, n) FOR(j, 0, m) {
        float total = 0;
        FOR(k, 0, d) total += x[i * d + k] * y[k * m + j];
        out[i * m + j] = total;
    }
    scaled(out, n * m);
}

EXPORTED void strides(SHAPES)
{
    float *columns = malloc((d * m + 1) * sizeof(float));
    FOR(j, 0, m) FOR(k, 0, d) columns[j * d + k] = y[k * m + j];
    FOR(i, 0, n) FOR(j, 0, m) {
        float total = 0;
        FOR(k, 0, d) total += x[i * d + k] * columns[j * d + k];
        out[i * m + j] = total;
    }
    free(columns);
    scaled(out, n * m);
}

EXPORTED void order(SHAPES)
{
    FOR(i, 0, n) {
        FOR(j, 0, m) out[i * m + j] = 0;
        FOR(k, 0, d) FOR(j, 0, m) out[i * m + j] += x[i * d + k] * y[k * m + j];
    }
    scaled(out, n * m);
}

EXPORTED void fused(SHAPES)
{
    FOR(i, 0, n) {
        FOR(j, 0, m) out[i * m + j] = 10;
        FOR(k, 0, d) {
            float a = x[i * d + k] * 100;
            FOR(j, 0, m) out[i * m + j] += a * y[k * m + j];
        }
    }
}

#ifdef __GNUC__
#if defined(__AVX512F__)
#define LENGTH 16
#elif defined(__AVX__)
#define LENGTH 8
#else
#define LENGTH 4
#endif
#define ROWS 6
#define WIDTH (2 * LENGTH)
#define DEPTH 256
typedef float vector __attribute__((vector_size(4 * LENGTH), aligned(4), may_alias));

/* Add rows × depth times depth × WIDTH numbers to a tile of sums, all of which are in registers.
   Two rows of y are `step` numbers apart, two of the sums `wide`. */
static inline __attribute__((always_inline)) void add_tile(
    const float *x, Py_ssize_t d, const float *y, Py_ssize_t step, Py_ssize_t depth,
    float *sums, Py_ssize_t wide, const int rows)
{
    vector total[ROWS][2] = {0};
    FOR(k, 0, depth) {
        const vector *numbers = (const vector *)(y + k * step);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < 2; v++) total[r][v] += x[r * d + k] * numbers[v];
    }
    for (int r = 0; r < rows; r++) for (int v = 0; v < 2; v++)
        *(vector *)(sums + r * wide + v * LENGTH) += total[r][v] * 100;
}

/* Add all rows of x times one panel of y: ROWS at a time, then one by one. */
static inline __attribute__((always_inline)) void add_panel(
    const float *x, Py_ssize_t d, const float *y, Py_ssize_t step, Py_ssize_t depth,
    float *sums, Py_ssize_t wide, Py_ssize_t n)
{
    Py_ssize_t i = 0;
    for (; i + ROWS <= n; i += ROWS)
        add_tile(x + i * d, d, y, step, depth, sums + i * wide, wide, ROWS);
    for (; i < n; i++) add_tile(x + i * d, d, y, step, depth, sums + i * wide, wide, 1);
}

/* Sums in registers: ROWS × WIDTH numbers of the result at a time, straight from y. */
EXPORTED void registers(SHAPES)
{
    FOR(i, 0, n * m) out[i] = 10;
    Py_ssize_t j = 0;
    for (; j + WIDTH <= m; j += WIDTH) add_panel(x, d, y + j, m, d, out + j, m, n);
    FOR(i, 0, n) FOR(k, 0, d) FOR(rest, j, m)
        out[i * m + rest] += x[i * d + k] * 100 * y[k * m + rest];
}

/* Blocks: DEPTH × WIDTH numbers of y are copied side by side first, where they fit into a cache. */
EXPORTED void blocks(SHAPES)
{
    float panel[DEPTH * WIDTH], sums[WIDTH];
    FOR(i, 0, n * m) out[i] = 10;
    for (Py_ssize_t j = 0; j < m; j += WIDTH) for (Py_ssize_t k = 0; k < d; k += DEPTH) {
        Py_ssize_t width = m - j < WIDTH ? m - j : WIDTH, depth = d - k < DEPTH ? d - k : DEPTH;
        FOR(row, 0, depth) FOR(column, 0, WIDTH)
            panel[row * WIDTH + column] = column < width ? y[(k + row) * m + j + column] : 0;
        if (width == WIDTH) add_panel(x + k, d, panel, WIDTH, depth, out + j, m, n);
        else FOR(i, 0, n) {
            memset(sums, 0, sizeof sums);
            add_panel(x + i * d + k, d, panel, WIDTH, depth, sums, WIDTH, 1);
            FOR(column, 0, width) out[i * m + j + column] += sums[column];
        }
    }
}

/* Fused multiply-adds only: twelve independent sums in registers, `count` times. */
EXPORTED float multiply_adds(Py_ssize_t count)
{
    vector total[12], factor = {0}, found = {0};
    factor += 0.5f;
    for (int v = 0; v < 12; v++) total[v] = factor + (float)v;
    FOR(i, 0, count) for (int v = 0; v < 12; v++) total[v] = total[v] * factor + factor;
    for (int v = 0; v < 12; v++) found += total[v];
    return found[0];
}
EXPORTED Py_ssize_t operations(Py_ssize_t count) { return count * 12 * LENGTH * 2; }
#endif

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "rungs_in_c", NULL, -1};
PyMODINIT_FUNC PyInit_rungs_in_c(void) { return PyModule_Create(&definition); }
"""

NAMES = ("loops", "strides", "order", "fused", "registers", "blocks")
"""The rungs of one thread, from the bottom."""


def rungs_in_c() -> tuple[dict[str, Callable[[Any, Any, Any], None]], Page]:
    """Return the rungs as functions of float32 arrays, or none without a compiler.

    Python's lock is released while one runs, so that several threads can call it.
    """
    try:
        library, said = _library(), "The rungs in C were built."
    except JitError as error:
        return {}, say(f"The rungs in C are left out: {str(error).splitlines()[0]}")
    found = [name for name in NAMES if hasattr(library, name)]
    return {name: partial(_call, getattr(library, name)) for name in found}, say(said)


def peak_in_c(count: int) -> tuple[Callable[[], object], int] | None:
    """Return a function that only multiplies and adds, and its operations; None if C has none."""
    try:
        library = _library()
    except JitError:
        return None
    if not hasattr(library, "multiply_adds"):
        return None
    library.multiply_adds.restype = ctypes.c_float
    library.operations.restype = ctypes.c_ssize_t
    return partial(library.multiply_adds, ctypes.c_ssize_t(count)), library.operations(
        ctypes.c_ssize_t(count)
    )


def _library() -> ctypes.CDLL:
    try:  # for this machine's own vectors
        module = build_extension(SOURCE, "rungs_in_c", flags=("-O3", "-march=native"))
    except CompileError:  # a compiler without that flag
        module = build_extension(SOURCE, "rungs_in_c")
    return ctypes.CDLL(str(module.__file__))


def _call(kernel: Callable[..., object], x: Any, y: Any, out: Any) -> None:
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, out)]
    kernel(*pointers, *map(ctypes.c_ssize_t, (*x.shape, y.shape[1])))
