"""The exercises of lab 05: what a declared graph knows before any number exists."""

from __future__ import annotations

from hpml.labs.exercises.exercise import Choice, Exercise
from hpml.labs.exercises.lab_05_dead import DEAD_NODES
from hpml.labs.exercises.lab_05_order import TOPOLOGICAL_ORDER
from hpml.labs.exercises.lab_05_shapes import PROPAGATE_SHAPES
from hpml.labs.explanations.lab_05 import EXPLANATION

__all__ = ["EXERCISES", "EXPLANATION_ITEM"]

EXERCISES: tuple[Exercise, ...] = (TOPOLOGICAL_ORDER, DEAD_NODES, PROPAGATE_SHAPES)

EXPLANATION_ITEM = Choice(
    lab="05",
    number=4,
    best=EXPLANATION.best_number,
    experiments=len(EXPLANATION.experiments),
)
