"""Every private name of PyTorch that `hpml.jit` uses; each is looked up when it is used."""

from __future__ import annotations

from typing import Any

from hpml.base.optional import look_up

from .errors import JitError

FEATURES = {
    "torch._dynamo.explain": "graph_breaks",
    "torch._C._last_executed_optimized_graph": "torchscript_graphs",
    "torch._inductor.utils.run_and_get_code": "inductor_loops",
}
"""The private names, and the function that needs each."""


def private(place: str) -> Any:
    """Return the object of this name, or raise JitError if this PyTorch has none."""
    return look_up(place, FEATURES[place], JitError)
