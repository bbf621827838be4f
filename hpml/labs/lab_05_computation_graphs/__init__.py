"""What lab 05 shows of graphs: what was executed, what failed where, what autograd recorded.

>>> import torch
>>> from hpml.labs import lab_05_computation_graphs as cg
>>> from hpml.symbolic import Input, SymbolicModel
>>> x = Input(shape=(4,))
>>> model = SymbolicModel(x, torch.nn.Linear(4, 2)(x))
>>> cg.edges_of(model)
{'input': ['Linear_1'], 'Linear_1': []}
>>> cg.result_bytes(model, batch=16)
{'Linear_1': 128}
>>> cg.work_of(lambda: torch.ones(4) * 2)
2 operations (ones, mul), 32 B of new results

In the order of the lab: ``work`` (what PyTorch executes), ``sizes`` (shapes before numbers),
``failures`` (errors and their lines), ``edges`` (the graph as a dictionary), ``recorded``
(autograd's graph), ``opinions`` (the lecture's table).
"""

from __future__ import annotations

from hpml.labs.lab_05_computation_graphs.edges import (
    count_orders,
    edges_of,
    parents_of,
    reached_from,
)
from hpml.labs.lab_05_computation_graphs.failures import Failure, failure
from hpml.labs.lab_05_computation_graphs.opinions import LECTURE, lecture_table
from hpml.labs.lab_05_computation_graphs.recorded import draw_beside, recorded, recorded_table
from hpml.labs.lab_05_computation_graphs.sizes import result_bytes, sizes_table
from hpml.labs.lab_05_computation_graphs.work import Work, work_of

__all__ = [
    "LECTURE",
    "Failure",
    "Work",
    "count_orders",
    "draw_beside",
    "edges_of",
    "failure",
    "lecture_table",
    "parents_of",
    "reached_from",
    "recorded",
    "recorded_table",
    "result_bytes",
    "sizes_table",
    "work_of",
]
