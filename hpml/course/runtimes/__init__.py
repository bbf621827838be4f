"""Run a model outside PyTorch's eager mode: exported, in other runtimes, in 8-bit integers.

>>> import torch
>>> from hpml.course.runtimes import OnnxSession, export_onnx
>>> model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU())
>>> x = torch.ones(1, 4)
>>> session = OnnxSession(export_onnx(model, x), optimisation="all", threads=1)
>>> bool(torch.allclose(session(x), model(x)))
True

`runtimes` returns a model in every installed runtime, for `hpml.benchmark.compare`; `int8` returns
a quantised model.
"""

from __future__ import annotations

from hpml.course.runtimes.contenders import TOLERANCE, Runtimes, runtimes
from hpml.course.runtimes.errors import ExportError, InputError, NotInstalledError, RuntimesError
from hpml.course.runtimes.export import OnnxModel, export_onnx
from hpml.course.runtimes.int8 import compile_int8, int8, int8_missing, weight_bytes
from hpml.course.runtimes.session import OnnxSession, optimised_operators, tensorrt_missing
from hpml.course.runtimes.vector_instructions import available_levels, compare_vector_instructions

__all__ = [
    "TOLERANCE",
    "ExportError",
    "InputError",
    "NotInstalledError",
    "OnnxModel",
    "OnnxSession",
    "Runtimes",
    "RuntimesError",
    "available_levels",
    "compare_vector_instructions",
    "compile_int8",
    "export_onnx",
    "int8",
    "int8_missing",
    "optimised_operators",
    "runtimes",
    "tensorrt_missing",
    "weight_bytes",
]
