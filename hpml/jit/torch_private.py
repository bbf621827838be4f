"""Every private name of PyTorch that `hpml.jit` uses; each is looked up when it is used."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import JitError

FEATURES = {
    "torch._dynamo.explain": "graph_breaks",
    "torch._C._last_executed_optimized_graph": "torchscript_graphs",
    "torch._inductor.utils.run_and_get_code": "inductor_loops",
}
"""The private names, and the function that needs each."""


def private(place: str) -> Any:
    """Return the object of this name.

    Raises:
        JitError: this version of PyTorch has no such name.
    """
    module, _, name = place.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        import torch

        raise JitError(
            object=FEATURES[place],
            expected=f"a PyTorch that has {place}",
            received=f"PyTorch {torch.__version__}",
            remedy="Install a version that hpml was tested with (constraints.txt).",
        ) from error
