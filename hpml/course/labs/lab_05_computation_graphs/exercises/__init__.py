"""The exercises of lab 05: order, dead nodes and shapes of a declared graph."""

from __future__ import annotations

from hpml.course.labs.lab_05_computation_graphs.exercises.dead import DEAD_NODES
from hpml.course.labs.lab_05_computation_graphs.exercises.order import TOPOLOGICAL_ORDER
from hpml.course.labs.lab_05_computation_graphs.exercises.shapes import PROPAGATE_SHAPES
from hpml.course.lesson.exercises.exercise import Exercise

EXERCISES: tuple[Exercise, ...] = (TOPOLOGICAL_ORDER, DEAD_NODES, PROPAGATE_SHAPES)
