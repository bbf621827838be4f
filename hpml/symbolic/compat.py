"""Alternative names that pytorch-symbolic also has: ``symbolic_data`` and ``FunctionalModel``."""

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
