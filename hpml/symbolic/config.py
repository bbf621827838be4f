"""Settings of the model builder: module variables that are read when a model is made.

>>> from hpml.symbolic import config
>>> config.CODEGEN_MIN_LOOP_LENGTH
50
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

CODEGEN_BY_DEFAULT: bool = True
"""Whether the default execution is ``"inlined"``, rather than ``"ordered"``."""

CODEGEN_MIN_LOOP_LENGTH: int | float = 50
"""The smallest number of layers in a straight chain that is generated as a loop, at least 2.

``float("inf")`` generates no loops.
"""


@contextlib.contextmanager
def loop_length(length: float) -> Iterator[None]:
    """Set ``CODEGEN_MIN_LOOP_LENGTH`` inside the ``with`` and restore it afterwards.

    >>> from hpml.symbolic import config
    >>> with config.loop_length(10):
    ...     config.CODEGEN_MIN_LOOP_LENGTH
    10
    >>> config.CODEGEN_MIN_LOOP_LENGTH
    50
    """
    global CODEGEN_MIN_LOOP_LENGTH
    before = CODEGEN_MIN_LOOP_LENGTH
    CODEGEN_MIN_LOOP_LENGTH = length
    try:
        yield
    finally:
        CODEGEN_MIN_LOOP_LENGTH = before
