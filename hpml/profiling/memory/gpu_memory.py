"""What PyTorch's caching allocator holds on a GPU while a function runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hpml.base.tables import Shown, Table, format_bytes
from hpml.profiling.checks import check_function
from hpml.profiling.errors import ProfilingError


@dataclass(frozen=True)
class GpuMemory(Shown):
    """Memory of a GPU around one call, in bytes.

    Attributes:
        device: the name of the GPU.
        before: held by tensors before the call.
        peak: the most that tensors held at a time during the call.
        after: held by tensors after it, the result among them.
        reserved: what the allocator has of the device after the call, in use or kept for later.
        result: what the function returned.
    """

    device: str
    before: int
    peak: int
    after: int
    reserved: int
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def table(self) -> Table:
        """A row for each of the figures."""
        rows = [
            ["tensors before", self.before],
            ["tensors at the peak", self.peak],
            ["tensors after", self.after],
            ["reserved after", self.reserved],
        ]
        return Table(["memory", "bytes"], rows, title=self.device, formats={"bytes": format_bytes})


def peak_allocated(function: Callable[..., Any], *arguments: Any) -> GpuMemory:
    """Call a function once and return the most that tensors held on the current GPU meanwhile.

    The peak that PyTorch keeps for the device starts anew.

    Raises:
        ProfilingError: if `function` cannot be called, or PyTorch sees no GPU.

    Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management

    >>> import torch
    >>> if torch.cuda.is_available():
    ...     found = peak_allocated(lambda: torch.ones(1024, device="cuda"))
    ...     assert found.peak - found.before == 4096
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
    before = device.memory_allocated()
    device.reset_peak_memory_stats()
    result = function(*arguments)
    device.synchronize()
    return GpuMemory(
        device.get_device_name(),
        before,
        device.max_memory_allocated(),
        device.memory_allocated(),
        device.memory_reserved(),
        result,
    )
