"""Lab 13: activations, what their gradients need, and what a compiler makes of them."""

from __future__ import annotations

from hpml.labs.lab_13_activations.curves import draw_curves
from hpml.labs.lab_13_activations.networks import (
    beside_published,
    draw_accuracies,
    network,
    one_block,
    train,
)
from hpml.labs.lab_13_activations.operations import costs, operations_of, peak_of_tensors
