"""Count, time and report the operators that PyTorch executes."""

from __future__ import annotations
