"""The lab's extension modules, with what is shown in their place where there is no compiler."""

from __future__ import annotations

import json
import tempfile
import textwrap
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from hpml.base.errors import describe
from hpml.base.files import data_file
from hpml.base.page import put, say
from hpml.base.tables import Table
from hpml.jit import JitError, NoCompilerError, build_extension

_MODULE = """
static PyMethodDef methods[] = {
    {"NAME", NAME, METH_O, NULL},
    {NULL, NULL, 0, NULL}
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "NAME", NULL, -1, methods};
PyMODINIT_FUNC PyInit_NAME(void) { return PyModule_Create(&definition); }
"""


def in_a_module(function: str, name: str) -> str:
    """Return C source of a module that is called like its only function, of one argument."""
    return f"#include <Python.h>\n{function}{_MODULE.replace('NAME', name)}"


def built(source: str, name: str, flags: Sequence[str] = ("-O3",)) -> ModuleType | None:
    """Build and import an extension; where that cannot be done say why, and return None."""
    try:
        return build_extension(source, name, flags=flags)
    except NoCompilerError as error:
        put(say(f"**No extension is built here**: {error}."), uuid.uuid4().hex)
    except JitError as error:
        put(say(f"**{name} could not be built**: {str(error)[:1000]}"), uuid.uuid4().hex)
    return None


def build_seconds(source: str, name: str) -> float:
    """Return how long it takes to build and import an extension that was not built before."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        began = time.perf_counter()
        build_extension(source, name, folder=folder)
        return time.perf_counter() - began


def recorded() -> Table:
    """Return what C took on another machine, for who has no compiler."""
    found = json.loads(data_file("recorded/extensions.json").read_text(encoding="utf-8"))
    caption = f"Recorded, not measured here: {found['machine']}, {found['compiler']}."
    rows = [list(pair) for pair in found["ns per number"].items()]
    return Table(["recorded: sum2d of 100 × 1,000 numbers", "ns per number"], rows, caption=caption)


def tried(functions: Mapping[str, Callable[[Any], object]], values: Mapping[str, object]) -> Table:
    """Return what each function makes of each value, and for which ones Numba compiled anew."""
    rows = []
    for name, value in values.items():
        row = [name]
        for function in functions.values():
            before = len(getattr(function, "signatures", ()))
            try:
                text = describe(function(value))
            except Exception as error:  # noqa: BLE001 - what it refuses, and how, is the result
                text = f"{type(error).__name__}: {_reason(error)}"
            new = len(getattr(function, "signatures", ())) > before
            row.append(f"{text}, compiled for it" if new else text)
        rows.append(row)
    return Table(["called with", *functions], rows)


def _reason(error: Exception) -> str:
    """Return the first line of an error that says more than that Numba failed."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith("Failed in nopython mode")]
    return textwrap.shorten(next(iter(telling or lines), ""), 70, placeholder=" …")
