"""Handlers of instructions: a function per opcode, a file per family, a table per version.

Each handler takes the frame and the instruction, and changes the frame.

Source: https://docs.python.org/3/library/dis.html.
"""

from __future__ import annotations
