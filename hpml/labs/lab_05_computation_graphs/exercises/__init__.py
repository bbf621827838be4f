"""The exercises of lab 05: order, dead nodes and shapes of a declared graph."""

from __future__ import annotations

from hpml.course.exercises.exercise import Exercise
from hpml.labs.lab_05_computation_graphs.exercises.dead import DEAD_NODES
from hpml.labs.lab_05_computation_graphs.exercises.order import TOPOLOGICAL_ORDER
from hpml.labs.lab_05_computation_graphs.exercises.shapes import PROPAGATE_SHAPES

EXERCISES: tuple[Exercise, ...] = (TOPOLOGICAL_ORDER, DEAD_NODES, PROPAGATE_SHAPES)
