"""Lab 05: what was executed, what failed where, what autograd recorded.

>>> import torch
>>> from hpml.labs import lab_05_computation_graphs as cg
>>> from hpml.symbolic import Input, SymbolicModel
>>> x = Input(shape=(4,))
>>> cg.result_bytes(SymbolicModel(x, torch.nn.Linear(4, 2)(x)), batch=16)
{'Linear_1': 128}
"""

from __future__ import annotations

from hpml.labs.lab_05_computation_graphs.autograd_picture import draw_beside
from hpml.labs.lab_05_computation_graphs.failures import failures
from hpml.labs.lab_05_computation_graphs.orders import (
    branching,
    count_orders,
    most_alive,
    not_reached_from,
)
from hpml.labs.lab_05_computation_graphs.sizes import result_bytes
