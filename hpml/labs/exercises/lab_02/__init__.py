"""Lab 02: the slide's stack machine, the stack it needs, and a function in fewer instructions."""

from __future__ import annotations

from hpml.labs.exercises.exercise import Choice
from hpml.labs.exercises.lab_02.execute import EXECUTE
from hpml.labs.exercises.lab_02.fewer import FEWER_INSTRUCTIONS
from hpml.labs.exercises.lab_02.stack_depth import MAX_STACK_DEPTH

__all__ = ["EXERCISES", "EXPLANATION_ITEM"]

EXERCISES = (EXECUTE, MAX_STACK_DEPTH, FEWER_INSTRUCTIONS)
EXPLANATION_ITEM = Choice(lab="02", number=4, best=2)
