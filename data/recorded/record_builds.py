"""Record what building lab 04's `sum2d` takes, into extensions.json.

    python data/recorded/record_builds.py

It needs a C and a C++ compiler, nanobind and ninja. The processor's seconds of the compilers count:
one file is compiled after another, so on an idle machine they are what one waits.
"""

from __future__ import annotations

import json
import platform
import resource
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from torch.utils.cpp_extension import load_inline

from hpml.base.environment import installed_version
from hpml.course.labs.lab_04_extensions_and_numba import binding
from hpml.jit import build_extension, find_cpp_compiler

FILE = Path(__file__).with_name("extensions.json")
INLINE = """
double sum2d(torch::Tensor a) {
    auto numbers = a.accessor<double, 2>();
    double result = 0.0;
    for (int64_t i = 0; i < a.size(0); i++)
        for (int64_t j = 0; j < a.size(1); j++)
            result += numbers[i][j];
    return result;
}
"""
LEAN = f"""
#include <ATen/ATen.h>
#include <torch/csrc/utils/pybind.h>
{INLINE.replace("torch::Tensor", "at::Tensor")}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def("sum2d", &sum2d); }}
"""


def seconds(build: Callable[[str], object], *, prepared: bool = False) -> float:
    """Return the processor's seconds of the compilers in a build, the median of three.

    With `prepared` everything was built before, and the module's own files were removed.
    """
    taken = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            if prepared:
                build(folder)
                for each in Path(folder).glob("sum2d*"):
                    each.unlink()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            build(folder)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(statistics.median(taken), 2)


def in_c(folder: str) -> None:
    """Build ``sum2d.c`` as the lab does."""
    build_extension(binding.source("sum2d.c"), "sum2d", folder=folder)


def with_nanobind(folder: str) -> None:
    """Build ``sum2d_nano.cpp`` as the lab does."""
    binding.nanobind_library(str(find_cpp_compiler()), Path(folder))


def inline(source: str, folder: str, **options: object) -> None:
    """Build a source with `load_inline`."""
    name = f"sum2d_{Path(folder).name}"  # a known name would not be compiled again
    load_inline(name, [source], extra_cflags=["-O3"], build_directory=folder, **options)


def main() -> None:
    """Build each three times and write the record."""
    whole = seconds(partial(inline, INLINE, functions=["sum2d"]))
    lean = seconds(partial(inline, LEAN, no_implicit_headers=True))
    of_c = seconds(in_c)
    building = {
        "C module, setuptools": [of_c, of_c, "a C compiler"],
        "nanobind": [
            seconds(with_nanobind),
            seconds(with_nanobind, prepared=True),
            "nanobind, a C++ compiler",
        ],
        "load_inline": [whole, whole, "PyTorch, ninja, a C++ compiler"],
        "load_inline, fewer headers": [lean, lean, "the same"],
    }
    found = json.loads(FILE.read_text(encoding="utf-8"))
    names = ("torch", "nanobind", "setuptools")
    versions = ", ".join(f"{name} {installed_version(name)}" for name in names)
    found["versions"] = f"Python {platform.python_version()}, {versions}"
    found["building"] = building
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(building, indent=1))


if __name__ == "__main__":
    main()
