"""What PyTorch's caching allocator holds on a GPU while a function runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hpml.base.tables import Table, format_bytes
from hpml.profiling.checks import check_function
from hpml.profiling.errors import ProfilingError


def peak_allocated(function: Callable[..., Any], *arguments: Any) -> Table:
    """Call a function once and return what tensors held on the current GPU, in bytes.

    The rows: what tensors held before the call, at most during it, and after it, the result among
    them; and what the allocator has of the device afterwards, in use or kept for later. The peak
    that PyTorch keeps for the device is reset.

    Raises:
        ProfilingError: if `function` cannot be called, or PyTorch sees no GPU.

    Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management

    >>> import torch
    >>> if torch.cuda.is_available():
    ...     before, peak, *_ = peak_allocated(torch.ones, 1024).column("bytes")
    """
    import torch

    check_function("peak_allocated", function)
    if not torch.cuda.is_available():
        raise ProfilingError(
            "peak_allocated expects a GPU, and torch.cuda.is_available() is False here. Without "
            "one, memory_over_time samples the resident memory and work_of counts new results."
        )
    device = torch.cuda
    device.synchronize()
    rows: list[list[object]] = [["tensors before", device.memory_allocated()]]
    device.reset_peak_memory_stats()
    result = function(*arguments)
    device.synchronize()
    rows += [
        ["tensors at the peak", device.max_memory_allocated()],
        ["tensors after", device.memory_allocated()],
        ["reserved after", device.memory_reserved()],
    ]
    del result
    name = device.get_device_name()
    return Table(["memory", "bytes"], rows, title=name, formats={"bytes": format_bytes})
