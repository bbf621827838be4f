"""Lab 12: training a ConvNeXt faster, and as well.

In the order of the lab: ``networks`` (trainings, step by step in turns), ``scaling`` (float16),
``fusing`` (what a compiler could gain), ``processes`` (by torchrun), ``accuracies`` (over seeds);
shown by ``pictures`` and ``tables``.
"""

from __future__ import annotations

from hpml.labs.lab_12_training.accuracies import accuracy_table, accuracy_verdict, nudge, spread
from hpml.labs.lab_12_training.fusing import compiled_steps, outside_products
from hpml.labs.lab_12_training.networks import (
    device,
    in_turns,
    kept_bytes,
    network,
    step_seconds,
    trainer,
)
from hpml.labs.lab_12_training.pictures import (
    draw_magnitudes,
    draw_scales,
    draw_shares,
    draw_steps,
    shares,
)
from hpml.labs.lab_12_training.processes import two_processes
from hpml.labs.lab_12_training.scaling import batches, give_gradients, gradients, pytorch_scales
from hpml.labs.lab_12_training.tables import (
    beside_published,
    formats_of,
    interval,
    tensors_of_step,
)
