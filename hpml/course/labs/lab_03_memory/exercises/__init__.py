"""The exercises of lab 03: reference cycles, in-place normalisation, bytes kept by autograd."""

from __future__ import annotations

from hpml.course.labs.lab_03_memory.exercises.cycles import FIND_CYCLE
from hpml.course.labs.lab_03_memory.exercises.in_place import NORMALISE_IN_PLACE
from hpml.course.labs.lab_03_memory.exercises.saved import SAVED_BYTES
from hpml.course.lesson.exercises.exercise import Exercise

EXERCISES: tuple[Exercise, ...] = (FIND_CYCLE, NORMALISE_IN_PLACE, SAVED_BYTES)
