"""The loops in C: built by the system's compiler where there is one, by Numba where there is none.

A compiler that knows the types writes one machine instruction for an addition; that is what the
loop of Python is measured against. Who built it is part of the result.
"""

from __future__ import annotations

import ctypes
import html
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.base.page import Page, show_code
from hpml.course.errors import LabError
from hpml.jit.compilers import ask, compiler_version, find_compiler
from hpml.labs.lab_01_dynamic_typing.operations import OPERATIONS

_FLAGS = ("-O3", "-fno-math-errno", "-shared", "-fPIC")
_ARGUMENTS = "const double *a, const double *b, double *out, long long n"


@dataclass(frozen=True)
class CompiledLoops:
    """Compiled loops over arrays of double.

    Attributes:
        made_by: who compiled them: ``"cc (Debian 12.2.0-14) 12.2.0, -O3"`` or ``"Numba 0.68.1"``.
        name: ``"C loop"`` or ``"Numba loop"``.
    """

    made_by: str
    name: str
    _functions: Mapping[str, Any] = field(repr=False, compare=False)

    def run(self, name: str, a: Any, b: Any, out: Any) -> Callable[[], object]:
        """Return a call without arguments of a loop over contiguous arrays of float64."""
        function = self._functions[name]
        if self.name == "Numba loop":
            return lambda: function(a, b, out)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, out)]
        n = ctypes.c_longlong(len(a))

        def call(_keep: object = (a, b, out)) -> None:
            function(*pointers, n)

        return call


def c_source() -> str:
    """Return one function an operation, with the types written down."""
    functions = [f"void {each.name}({_ARGUMENTS}) {{ {each.c} }}\n" for each in OPERATIONS.values()]
    return "#include <math.h>\n" + "".join(functions)


def compiled_loops(prefer: str = "C") -> CompiledLoops:
    """Compile the loops, and return them with who did it.

    Args:
        prefer: ``"C"`` takes the system's compiler if there is one; ``"Numba"`` looks for none.

    Raises:
        LabError: if there is neither a compiler that works nor Numba.

    >>> import numpy as np
    >>> loops, a, out = compiled_loops(), np.arange(3.0), np.zeros(3)
    >>> _ = loops.run("add", a, a, out)()
    >>> out.tolist()
    [0.0, 2.0, 4.0]
    """
    compiler = find_compiler() if prefer == "C" else None
    if compiler is None:
        return _by_numba("there is no C compiler here" if prefer == "C" else "")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder, "loops.c").write_text(c_source(), encoding="utf-8")
        # Behind the source: a linker takes libraries in the order in which they are named.
        done = ask([compiler, *_FLAGS, "loops.c", "-o", "loops.so", "-lm"], folder)
        if done.returncode:
            return _by_numba(f"{compiler} could not build the loops")
        library = ctypes.CDLL(str(Path(folder, "loops.so")))
    functions = {each.name: getattr(library, each.name) for each in OPERATIONS.values()}
    for function in functions.values():
        function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_longlong]
        function.restype = None
    made_by = f"{compiler_version(compiler)}, {_FLAGS[0]}"
    return CompiledLoops(made_by, "C loop", functions)


def compiler_says(source: str) -> Page:
    """Return what the system's C compiler says of a source text, which is never run."""
    compiler = find_compiler()
    if compiler is None:
        text = "There is no C compiler here to ask. `hpml doctor` says how to get one."
        return Page(text, f"<p>{html.escape(text)}</p>")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "lecture.c").write_text(source, encoding="utf-8")
        # Run in its folder, so that messages name the file and no path of this machine.
        command = [compiler, "-fsyntax-only", "-fdiagnostics-color=never", "lecture.c"]
        done = ask(command, folder)
    text = f"{compiler} lecture.c\n{done.stderr.strip() or 'nothing to complain about'}"
    return show_code(text)


def _by_numba(why: str) -> CompiledLoops:
    try:
        import numba
    except ImportError:
        raise LabError(
            f"The compiled loops need a C compiler or Numba: {why}, and Numba is not installed. "
            "Install either (`hpml doctor` says how)."
        ) from None
    import numpy as np

    functions = {each.name: numba.njit(each.loop) for each in OPERATIONS.values()}
    for function in functions.values():  # compiled at the first call, which is none to be measured
        function(np.ones(2), np.ones(2), np.ones(2))
    note = f" ({why})" if why else ""
    return CompiledLoops(f"Numba {numba.__version__}{note}", "Numba loop", functions)
