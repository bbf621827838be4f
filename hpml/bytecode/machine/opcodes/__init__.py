"""What each instruction does: one function an opcode, one file a family, one table a version.

Every function takes the frame and the instruction, and changes the frame. The page of CPython's
``dis`` module documents the same instructions in prose.
"""

from __future__ import annotations
