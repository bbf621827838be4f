"""Softmax of each row as one Triton kernel. Importing it needs Triton.

With the variable ``TRITON_INTERPRET=1`` Triton runs the kernel on the CPU, instruction by
instruction in NumPy. Run as a program, the module compares the kernel with PyTorch.

Source: the tutorial "Fused Softmax",
https://triton-lang.org/main/getting-started/tutorials/02-fused-softmax.html
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def softmax_row(x_at, out_at, width, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    """Read one row, and write its softmax."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    x = tl.load(x_at + row * width + column, mask=inside, other=-float("inf"))
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_at + row * width + column, power / tl.sum(power, axis=0), mask=inside)


def softmax(x: Any) -> Any:
    """Return the softmax of each row of a contiguous matrix."""
    import torch

    rows, width = x.shape
    out = torch.empty_like(x)
    softmax_row[(rows,)](x, out, width, BLOCK=triton.next_power_of_2(width))
    return out


def largest_difference(device: str) -> float:
    """Return the largest difference from PyTorch's softmax on random rows."""
    import torch

    x = torch.randn(16, 1000, device=device)
    return float((softmax(x) - x.softmax(1)).abs().max())


if __name__ == "__main__":
    print(largest_difference("cpu"))
