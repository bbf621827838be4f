"""Lab 02: the slide's stack machine, the stack it needs, and a function in fewer instructions."""

from __future__ import annotations

from hpml.course.exercises.exercise import Choice, Exercise
from hpml.labs.lab_02_bytecode.exercises.execute import EXECUTE
from hpml.labs.lab_02_bytecode.exercises.fewer import FEWER_INSTRUCTIONS
from hpml.labs.lab_02_bytecode.exercises.stack_depth import MAX_STACK_DEPTH
from hpml.labs.lab_02_bytecode.explanation import EXPLANATION

__all__ = ["EXERCISES", "EXPLANATION_ITEM"]

EXERCISES: tuple[Exercise, ...] = (EXECUTE, MAX_STACK_DEPTH, FEWER_INSTRUCTIONS)

EXPLANATION_ITEM = Choice(
    lab="02",
    number=len(EXERCISES) + 1,
    best=EXPLANATION.best_number,
    experiments=len(EXPLANATION.experiments),
)
