"""Lab 07: networks written down in several ways, their bytecode, their memory and their time.

>>> from hpml.labs import lab_07_code_generation as cg
>>> example = cg.documents_example()
>>> with cg.loop_length(10):
...     example._generated_forward_source == cg.DOCUMENTS_SOURCE
True
"""

from __future__ import annotations

import contextlib

from hpml.labs.lab_07_code_generation.budget import budget, costs_of, nothing, only_loop
from hpml.labs.lab_07_code_generation.bytecode import instructions, measure_expressions
from hpml.labs.lab_07_code_generation.kernel_map import kernel_map
from hpml.labs.lab_07_code_generation.memory import draw_live_bytes, live_bytes
from hpml.labs.lab_07_code_generation.networks import (
    DOCUMENTS_SOURCE,
    chain_model,
    chain_of,
    documents_example,
    linear_chain,
    nothings,
    residual_model,
)
from hpml.labs.lab_07_code_generation.shown import error_page


def loop_length(length: float) -> contextlib.AbstractContextManager[None]:
    """Let models that are made in the ``with`` write runs of at least this length as loops."""
    from hpml.symbolic.config import loop_length

    return loop_length(length)
