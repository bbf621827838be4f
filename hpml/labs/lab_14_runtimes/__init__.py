"""Lab 14: other runtimes, integers, and what a loop need not compute again."""

from __future__ import annotations

from hpml.labs.lab_14_runtimes.digits_network import (
    accuracy,
    draw_accuracy,
    draw_rounding,
    in_integers,
    integer_table,
    race_integers,
    rounded,
    trained,
)
from hpml.labs.lab_14_runtimes.in_runtimes import (
    beside_published,
    in_parallel,
    in_turn,
    onnx_is_here,
    operators_left,
    runs_at,
)
from hpml.labs.lab_14_runtimes.recurrent import draw_loop, loop, operator_seconds
