"""The memory of new tensors on the CPU during a call.

`hpml.profiling.memory_snapshot` also says what allocated the memory, for which it calls twice and
reads a trace; a lab that only needs the bytes calls once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hpml.profiling.operators.torch_profile import without_kineto_log


def allocated(run: Callable[[], object]) -> list[tuple[float, int]]:
    """Call `run` and return the memory of new CPU tensors over time, as torch.profiler records it.

    Returns milliseconds since the first allocation, and the bytes of tensors that are not freed.

    >>> import torch
    >>> most(allocated(lambda: torch.ones(2**18) + 1)) // 2**20  # MiB
    2
    """
    from torch.profiler import ProfilerActivity, profile

    cpu = [ProfilerActivity.CPU]
    with (
        without_kineto_log(),
        profile(activities=cpu, profile_memory=True, acc_events=True) as profiled,
    ):
        result = run()
    recorded: Any = profiled.profiler
    changes = [e for e in recorded.kineto_results.events() if e.name() == "[memory]"]
    changes.sort(key=lambda event: event.start_ns())
    found, total = [], 0
    for event in changes:
        total += event.nbytes()
        found.append((1e-6 * (event.start_ns() - changes[0].start_ns()), total))
    del result  # only now: what it keeps was allocated during the record
    return found


def most(record: Sequence[tuple[float, int]]) -> int:
    """Return the most bytes at a time."""
    return max((size for _, size in record), default=0)
