from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

from hpml.course.lesson.execute import find_lab
from tests.causes.shown import python
from tests.instructions.kinds import ADVICE, EXPLAINED, NONE, Followed, Moved, seen

TWO_FUNCTIONS = """
import time
import numba
took = []
for source in ("lambda x: x + 1", "lambda x: x + 2"):
    began = time.perf_counter()
    numba.njit(eval(source))(1.0)
    took.append(time.perf_counter() - began)
print(took[1] < took[0])
"""


def a_second_function_is_compiled_without_the_start_of_numba() -> None:
    """Two functions of one addition, compiled one after the other in a new process."""
    assert python(TWO_FUNCTIONS).stdout == "True\n"


@pytest.mark.needs("C++ compiler")
def load_inline_compiles_once() -> None:
    """The cell in a new process, twice with one cache: the second run compiles nothing."""
    cells = nbformat.read(find_lab("04"), as_version=4).cells
    (cell,) = (each.source for each in cells if each.id == "04-25j")
    assert "compile_now = False" in cell
    program = "import numpy as np, torch\na = np.ones((3, 4))\n" + cell.replace(
        "compile_now = False", "compile_now = True"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TORCH_EXTENSIONS_DIR": folder}
        before: dict[Path, int] = {}
        for again in (False, True):
            done = subprocess.run(
                [sys.executable, "-c", program],
                env=environment,
                timeout=300,
                capture_output=True,
                text=True,
                check=False,
            )
            if "Ninja is required" in done.stderr:
                assert "pip install ninja" in done.stderr
                return
            assert done.stdout.endswith("12.0 by load_inline\n"), done.stderr
            made = {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*.o")}
            assert made
            assert not again or made == before
            before = made


PAYS = r"By your formula: Numba pays from call [\d,]+ on"
FOLLOWED: Followed = {
    "Both can then use two cores at once.": NONE,
    "Compare this file with the C above; it is the whole module.": seen(
        "04-23n", r"NB_MODULE\(sum2d_nano, m\)", "nb::gil_scoped_release"
    ),
    "Set `compile_now` to `True` to pay it; later runs of the cell find the result in PyTorch's "
    "cache.": load_inline_compiles_once,
    "Give all of them the same values: which of them refuses, which compiles again?": seen(
        "04-24", r"float32 +[\d.]+, compiled for this type", "a list +TypingError"
    ),
    "Look at the additions, in LLVM's language and in the machine's.": seen(
        "04-34",
        "plain, llvm",
        "fadd double",
        "plain, assembler",
        "fast-math, llvm",
        r"fadd fast <\d x double>",
        "fast-math, assembler",
    ),
    "The figure shows your results as marks on measured lines; the slider sets the size of the "
    "array.": (Moved("04-45", {"numbers": 100}, PAYS), Moved("04-45", {"numbers": 10_000}, PAYS)),
    "Write the number of an experiment into the cell.": EXPLAINED,
    "So do not call a compiled function a million times with tiny arrays: put that loop inside the "
    "function.": ADVICE,
}
ALSO: Followed = {
    "(The very first function also pays for Numba's own start; compile a second one to see the "
    "difference.)": a_second_function_is_compiled_without_the_start_of_numba,
}
