"""Lab 13: activations, what their gradients need, and what a compiler makes of them."""

from __future__ import annotations

__all__: list[str] = []
