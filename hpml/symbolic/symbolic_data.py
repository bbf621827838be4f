"""Symbolic tensors and other data, under the module name of the documents."""

from __future__ import annotations

from .building.handles import SymbolicCallable, SymbolicData, SymbolicTensor
from .building.inputs import CustomInput, Input

__all__ = ["CustomInput", "Input", "SymbolicCallable", "SymbolicData", "SymbolicTensor"]
