"""What lab 07 shows of generated code, each piece a plain value or a picture of one.

>>> from hpml.labs import lab_07_code_generation as cg
>>> example = cg.documents_example()
>>> with cg.loop_length(10):
...     example._generated_forward_source == cg.DOCUMENTS_SOURCE
True
>>> cg.function_of("def forward(self, x): return -x")(None, 3)
-3

In the order of the lab: ``networks`` (what is run), ``bytecode`` (what the interpreter is asked to
do), ``running`` (from source to function), ``memory``, ``words`` (text, errors, ratios
on the page), ``budget`` (where the time goes), ``inlining`` (who is called and who is not).
"""

from __future__ import annotations

from hpml.labs.lab_07_code_generation.budget import STAGES, budget, draw_budget
from hpml.labs.lab_07_code_generation.bytecode import instructions, measure_expressions
from hpml.labs.lab_07_code_generation.inlining import explained
from hpml.labs.lab_07_code_generation.memory import draw_live_bytes, live_bytes
from hpml.labs.lab_07_code_generation.networks import (
    DOCUMENTS_SOURCE,
    chain_model,
    documents_example,
    residual_model,
)
from hpml.labs.lab_07_code_generation.running import function_of
from hpml.labs.lab_07_code_generation.words import (
    error_page,
    how_quiet,
    in_words,
    listing,
    what_fits,
)
from hpml.symbolic.config import loop_length
from hpml.symbolic.execution.instructions import count_instructions

__all__ = [
    "DOCUMENTS_SOURCE",
    "STAGES",
    "budget",
    "chain_model",
    "count_instructions",
    "documents_example",
    "draw_budget",
    "draw_live_bytes",
    "error_page",
    "explained",
    "function_of",
    "how_quiet",
    "in_words",
    "instructions",
    "listing",
    "live_bytes",
    "loop_length",
    "measure_expressions",
    "residual_model",
    "what_fits",
]
