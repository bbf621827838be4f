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
    operators_left,
    runs_at,
)
from hpml.labs.lab_14_runtimes.recurrent import draw_loop, loop, operator_seconds

__all__ = [
    "accuracy",
    "beside_published",
    "draw_accuracy",
    "draw_loop",
    "draw_rounding",
    "in_integers",
    "in_parallel",
    "in_turn",
    "integer_table",
    "loop",
    "operator_seconds",
    "operators_left",
    "race_integers",
    "rounded",
    "runs_at",
    "trained",
]
