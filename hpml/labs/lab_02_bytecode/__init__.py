"""What lab 02 shows of the interpreter: blocks, turns of threads, forms of instructions, counts.

>>> from hpml.labs import lab_02_bytecode as it
>>> def larger(a, b):
...     if a > b:
...         return a
...     return b
>>> it.syntax_tree("d = a + b * c")
Module
└─ Assign
   ├─ Name d (store)
   └─ BinOp
      ├─ Name a
      ├─ Add
      └─ BinOp
         ├─ Name b
         ├─ Mult
         └─ Name c
>>> it.effects(larger)[-1]                # pops one value, does not jump, and does not go on
(-1, None, False)

In the order of the lab: ``stages`` (tokens and trees, short), ``blocks`` (basic blocks as a
picture), ``slide`` (the lecture's listing), ``effects`` (what the stack depth is computed from),
``diary`` (when an instruction changes its form), ``turns`` (two threads taking turns), ``sharing``
(what two threads and two processes take), ``counting`` (instructions against time), ``powers`` (the
experiment at the end).
"""

from __future__ import annotations

from hpml.labs.lab_02_bytecode.blocks import draw_blocks
from hpml.labs.lab_02_bytecode.counting import MOMENT, count_and_time, count_lines
from hpml.labs.lab_02_bytecode.diary import diary, fresh
from hpml.labs.lab_02_bytecode.effects import effects
from hpml.labs.lab_02_bytecode.powers import measure_powers
from hpml.labs.lab_02_bytecode.sharing import build_says, cores, measure_sharing
from hpml.labs.lab_02_bytecode.slide import slide_beside, slide_form
from hpml.labs.lab_02_bytecode.stages import mistakes, syntax_tree, tokens_by_line
from hpml.labs.lab_02_bytecode.turns import draw_turns, take_turns

__all__ = [
    "MOMENT",
    "build_says",
    "cores",
    "count_and_time",
    "count_lines",
    "diary",
    "draw_blocks",
    "draw_turns",
    "effects",
    "fresh",
    "measure_powers",
    "measure_sharing",
    "mistakes",
    "slide_beside",
    "slide_form",
    "syntax_tree",
    "take_turns",
    "tokens_by_line",
]
