"""Build models by calling layers on symbolic tensors, and choose how their forward runs.

>>> import torch
>>> from torch import nn
>>> from hpml.symbolic import Input, SymbolicModel
>>> inputs = Input(shape=(1, 28, 28))
>>> x = nn.Flatten()(inputs)
>>> x = nn.Linear(x.features, 10)(x)(nn.ReLU())
>>> model = SymbolicModel(inputs, x)
>>> model(torch.rand(16, 1, 28, 28)).shape
torch.Size([16, 10])

A short pipeline of plain values, one file a step, in the order in which it is read:

1. `symbolic_data`: what is written, handles of nodes (`node`, `functions_utility`)
2. `inference`: the shape of a result before anything is computed (`registry`, `isolation`)
3. `graph`: the nodes between inputs and outputs, as immutable data
4. `order`: when each value is last needed
5. `source`: the forward as Python source, compiled
6. `execution`: one file a strategy
7. `symbolic_model`: a `torch.nn.Module` around all of that

``torch.nn.Module`` is left as it is: `interception` says how ``layer(x)`` works all the same.
"""

from __future__ import annotations

from . import config, graph_algorithms, model_tools, symbolic_data, useful_layers
from .errors import GraphError
from .execution import EXECUTIONS
from .functions_utility import add_to_graph
from .inputs import CustomInput, Input
from .interception import suspend as optimize_module_calls
from .symbolic_model import FunctionalModel, SymbolicModel

__all__ = [
    "EXECUTIONS",
    "CustomInput",
    "FunctionalModel",
    "GraphError",
    "Input",
    "SymbolicModel",
    "add_to_graph",
    "config",
    "graph_algorithms",
    "model_tools",
    "optimize_module_calls",
    "symbolic_data",
    "useful_layers",
]
