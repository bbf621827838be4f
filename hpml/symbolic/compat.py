"""Second names of what this package has, for programs written for pytorch-symbolic.

They import ``symbolic_data``, which is this module, or ``FunctionalModel``.
"""

from __future__ import annotations

from .building.handles import SymbolicCallable, SymbolicData, SymbolicTensor, add_to_graph
from .building.inputs import CustomInput, Input
from .symbolic_model import SymbolicModel

FunctionalModel = SymbolicModel

__all__ = [
    "CustomInput",
    "FunctionalModel",
    "Input",
    "SymbolicCallable",
    "SymbolicData",
    "SymbolicTensor",
    "add_to_graph",
]
