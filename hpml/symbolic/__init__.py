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

Read the three folders in this order:

1. `building`: handles, nodes, and the inference of shapes
2. `graph`: the nodes between inputs and outputs, as immutable data
3. `execution`: one file for each strategy; some generate the forward as Python source

`symbolic_model` combines them in a `torch.nn.Module`. ``torch.nn.Module.__call__`` is replaced only
while symbolic data is alive (`building.interception`).

A program written for pytorch-symbolic runs after changing the import. So some names are those of
that library: `graph_algorithms` draws graphs, `model_tools` compares parameters, `useful_layers`
has the layers of operators and functions, and `optimize_module_calls` ends the replacement above.
"""

from __future__ import annotations

from . import compat as symbolic_data
from . import config, graph_algorithms, model_tools, useful_layers
from .building.handles import add_to_graph
from .building.inputs import CustomInput, Input
from .building.interception import suspend as optimize_module_calls
from .compat import FunctionalModel
from .errors import GraphError
from .execution import EXECUTIONS
from .symbolic_model import SymbolicModel

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
