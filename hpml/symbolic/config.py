"""Switches of the model builder: plain module variables, read when a model is made.

>>> from hpml.symbolic import config
>>> config.CODEGEN_MIN_LOOP_LENGTH
50
"""

from __future__ import annotations

CODEGEN_BY_DEFAULT: bool = True
"""Whether a model made without ``execution=`` runs ``"inlined"``; else ``"ordered"``."""

CODEGEN_MIN_LOOP_LENGTH: int | float = 50
"""A straight chain of at least this many layers is generated as a loop; at least 2.

``float("inf")`` writes every call on a line of its own.
"""
