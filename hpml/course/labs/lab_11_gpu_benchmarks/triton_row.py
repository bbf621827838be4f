"""Show and run the Triton kernel where Triton is installed, on a CPU in Triton's interpreter."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from hpml.base import accelerator
from hpml.base.page import Page, say
from hpml.base.tables import format_seconds, readable
from hpml.course.lesson.racing import race
from hpml.course.packages import install_command
from hpml.profiling import work_of

_FILE = Path(__file__).with_name("softmax_triton.py")
_MODULE = f"{__package__}.softmax_triton"
SECONDS = 120.0
"""How long the interpreter may take."""


def source() -> str:
    """Return the text of the kernel, without importing it."""
    text = _FILE.read_text("utf-8").partition("@triton.jit")[2].partition("\n\n\ndef ")[0]
    kept = [line.partition("  # type:")[0] for line in f"@triton.jit{text}".splitlines()]
    return "\n".join(kept)


def run(device: str) -> Page:
    """Compare the kernel with PyTorch's operators, or say how to get Triton."""
    import torch

    x = torch.rand(4, 1000, device=device)
    steps = work_of(lambda: (p := (x - x.amax(1, keepdim=True)).exp()) / p.sum(1, keepdim=True))
    text = f"In operators, softmax is {len(steps.operations)} launches; the kernel is one. "
    if importlib.util.find_spec("triton") is None:
        return say(
            f"{text}Triton is not installed here, so the kernel was not run. It exists for Linux: "
            f"`{install_command('triton')}`, then restart the kernel of this notebook. "
            "Its time on a GPU is not yet recorded."
        )
    if device not in ("cuda", "xpu"):
        return say(text + _interpreted())
    from hpml.course.labs.lab_11_gpu_benchmarks import softmax_triton

    large = torch.randn(4096, 1000, device=device)
    raced = race(
        {
            "operators": lambda: (
                (p := (large - large.amax(1, keepdim=True)).exp()) / p.sum(1, keepdim=True)
            ),
            "kernel": lambda: softmax_triton.softmax(large),
        }
    )
    differs = readable(softmax_triton.largest_difference(device), 2)
    return say(
        f"{text}On {accelerator.name(device)} it takes {format_seconds(raced['kernel'].median)}: "
        f"{raced.in_words('kernel')}. It differs from PyTorch's by at most {differs}."
    )


def _interpreted() -> str:
    """Run the kernel in a process of its own: the variable must be set before the import."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", _MODULE],
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"Triton's interpreter took more than {SECONDS:.0f} s and was stopped."
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return f"Triton's interpreter failed: {last}"
    differs = readable(float(done.stdout), 2)
    return (
        "Triton's interpreter ran it on the CPU, which says nothing about its speed. It differs "
        f"from PyTorch's softmax by at most {differs}. Its time on a GPU is not yet recorded."
    )
