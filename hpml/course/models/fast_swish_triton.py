"""FastSwish as a Triton kernel for GPUs; PyTorch's GPU builds include Triton.

Constants are integers, which are exact in every type; half precision is computed in float32.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from hpml.base import accelerator

BLOCK = 1024


@triton.jit  # type: ignore[untyped-decorator]
def forward(x_at, out_at, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    """Write FastSwish of each element."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    x = tl.load(x_at + place, mask=inside, other=1.0)
    u = x if x.dtype == tl.float64 else x.to(tl.float32)
    middle = u * (u + 3.0) / 6.0
    value = tl.where(u < -2.0, 2.0 / (3.0 * u), tl.where(u < 3.0, middle, u))
    tl.store(out_at + place, value.to(x.dtype), mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def backward(x_at, gradient_at, out_at, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    """Write the slope at each element times the gradient."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    x = tl.load(x_at + place, mask=inside, other=1.0)
    gradient = tl.load(gradient_at + place, mask=inside, other=0.0)
    u = x if x.dtype == tl.float64 else x.to(tl.float32)
    middle = (2.0 * u + 3.0) / 6.0
    slope = tl.where(u < -2.0, -2.0 / (3.0 * u * u), tl.where(u < 3.0, middle, 1.0))
    tl.store(out_at + place, (gradient * slope).to(x.dtype), mask=inside)


def launch(name: str, *tensors: Any) -> None:
    """Run a kernel over tensors with the same strides; the last one is the output."""
    kernel = {"forward": forward, "backward": backward}[name]
    count = tensors[-1].numel()
    with accelerator.current(tensors[-1].device):
        kernel[((count + BLOCK - 1) // BLOCK,)](*tensors, count, BLOCK=BLOCK)
