"""Where memory goes: line by line, by what keeps it, for the backward pass, on a GPU."""

from __future__ import annotations
