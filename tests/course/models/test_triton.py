"""The GPU's kernels, run on a CPU by Triton's interpreter."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import torch
from hpml.course.models import fast_swish_triton as kernels
from hpml.course.models.activations import fast_swish_composite, fast_swish_slope

torch.manual_seed(0)
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for count in (1, 7, kernels.BLOCK - 1, kernels.BLOCK, kernels.BLOCK + 1, 5000):
        x = (8 * torch.randn(count, dtype=torch.float64)).to(dtype)
        x[:7] = torch.tensor([-300.0, -2.0, -0.0, 0.0, 3.0, 1000.0, -1e-3], dtype=dtype)[:count]
        gradient = torch.randn(count, dtype=torch.float64).to(dtype)
        out = torch.full((count + 1,), 7.0, dtype=dtype)  # one more, to see that it is not written
        grid = ((count + kernels.BLOCK - 1) // kernels.BLOCK,)
        wide = x.double()
        kernels.forward[grid](x, out, count, BLOCK=kernels.BLOCK)
        torch.testing.assert_close(out[:-1], fast_swish_composite(wide).to(dtype))
        assert out[-1] == 7
        kernels.backward[grid](x, gradient, out, count, BLOCK=kernels.BLOCK)
        torch.testing.assert_close(
            out[:-1], (gradient.double() * fast_swish_slope(wide)).to(dtype)
        )
        assert out[-1] == 7
print("equal")
"""


@pytest.mark.skipif(
    importlib.util.find_spec("triton") is None,
    reason="needs Triton, which PyPI's PyTorch brings: python3.12",
)
def test_the_kernels_give_the_composites_values_and_slopes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "equal", done.stderr
