"""What lab 02 shows of the interpreter: blocks, listings, forms of instructions, counts, threads.

>>> from hpml.labs import lab_02_bytecode as interpreter
>>> def larger(a, b):
...     if a > b:
...         return a
...     return b
>>> interpreter.syntax_tree("d = a + b")
Module
└─ Assign
   ├─ Name d (store)
   └─ BinOp
      ├─ Name a
      ├─ Add
      └─ Name b
>>> interpreter.effects(larger)[-1]                # pops one value, does not jump, and ends
(-1, None, False)
"""

from __future__ import annotations

from hpml.labs.lab_02_bytecode.blocks import draw_blocks
from hpml.labs.lab_02_bytecode.counting import MOMENT, count_and_time, count_lines
from hpml.labs.lab_02_bytecode.effects import effects
from hpml.labs.lab_02_bytecode.gil_scaling import build_says, measure_gil_scaling
from hpml.labs.lab_02_bytecode.instruction_cost import race
from hpml.labs.lab_02_bytecode.lecture_listing import lecture_beside, lecture_form
from hpml.labs.lab_02_bytecode.power_against_product import what_fits
from hpml.labs.lab_02_bytecode.specialisation_log import specialisation_log
from hpml.labs.lab_02_bytecode.stages import mistakes, syntax_tree, tokens_by_line
from hpml.labs.lab_02_bytecode.thread_switching import draw_thread_switches, record_thread_switches
