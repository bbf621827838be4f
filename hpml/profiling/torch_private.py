"""Every private name of PyTorch that `hpml.profiling` uses; each is looked up when it is used."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import ProfilingError

FEATURES = {
    "torch.utils._python_dispatch.TorchDispatchMode": "work_of",
    "torch.utils._pytree.tree_leaves": "work_of and saved_tensors",
}
"""The private names, and the functions that need each."""


def private(place: str) -> Any:
    """Return the object of this name.

    Raises:
        ProfilingError: this version of PyTorch has no such name.
    """
    module, _, name = place.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        import torch

        raise ProfilingError(
            f"{FEATURES[place]} expected PyTorch to have {place}, received PyTorch "
            f"{torch.__version__}, which has no such name: install a version that hpml was tested "
            "with (constraints.txt), or do without this function"
        ) from error
