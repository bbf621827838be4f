"""Build extension modules in C, and inspect the results of Numba and of PyTorch's compilers.

>>> from hpml.jit import find_compiler
>>> find_compiler() is None or isinstance(find_compiler(), str)
True
"""

from __future__ import annotations

from hpml.jit.compilers import (
    compiler_version,
    find_compiler,
    find_cpp_compiler,
    why_not_inductor,
)
from hpml.jit.errors import CompileError, JitError, NoCompilerError
from hpml.jit.extension import build_extension
from hpml.jit.numba_views import inferred_types, instructions, signatures
from hpml.jit.torch_compilers import (
    FirstCall,
    first_calls,
    graph_breaks,
    inductor_loops,
    torchscript_graphs,
)

__all__ = [
    "CompileError",
    "FirstCall",
    "JitError",
    "NoCompilerError",
    "build_extension",
    "compiler_version",
    "find_compiler",
    "find_cpp_compiler",
    "first_calls",
    "graph_breaks",
    "inductor_loops",
    "inferred_types",
    "instructions",
    "signatures",
    "torchscript_graphs",
    "why_not_inductor",
]
