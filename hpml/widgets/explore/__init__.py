"""Controls for the arguments of a function, with every result precomputed."""

from __future__ import annotations
