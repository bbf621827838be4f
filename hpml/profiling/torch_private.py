"""Every private name of PyTorch that `hpml.profiling` uses; each is looked up when it is used."""

from __future__ import annotations

from typing import Any

from hpml.base.optional import look_up

from .errors import ProfilingError

FEATURES = {
    "torch.autograd._profiler_enabled": "profile_torch and memory_snapshot",
    "torch.cuda.memory._record_memory_history": "memory_snapshot",
    "torch.cuda.memory._snapshot": "memory_snapshot",
    "torch.utils._python_dispatch.TorchDispatchMode": "work_of",
    "torch.utils._pytree.tree_leaves": "work_of and saved_tensors",
}
"""The private names, and the functions that need each."""


def private(place: str) -> Any:
    """Return the object of this name, or raise ProfilingError if this PyTorch has none."""
    return look_up(place, FEATURES[place], ProfilingError)
