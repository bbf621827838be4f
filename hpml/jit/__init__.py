"""Other ways to run a function: extension modules, and what a compiler in the process made of it.

>>> from hpml.jit import find_compiler
>>> find_compiler() is None or isinstance(find_compiler(), str)
True
"""

from __future__ import annotations

from hpml.jit.compilers import compiler_version, find_compiler
from hpml.jit.errors import CompileError, JitError, NoCompilerError
from hpml.jit.extension import build_extension
from hpml.jit.numba_views import inferred_types, instructions, signatures

__all__ = [
    "CompileError",
    "JitError",
    "NoCompilerError",
    "build_extension",
    "compiler_version",
    "find_compiler",
    "inferred_types",
    "instructions",
    "signatures",
]
