"""A report on a slow operator that others can reproduce: a script, what it printed, and where."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpml.base.child_process import with_package
from hpml.base.environment import environment_record
from hpml.base.errors import describe
from hpml.profiling.errors import ProfilingError

if TYPE_CHECKING:
    import torch

_SCRIPT = """\
import torch
from torch.utils.benchmark import Timer

torch.manual_seed(0)
torch.set_num_threads(1)
{tensors}
for statement in {statements}:
    timer = Timer(statement, globals=globals(), num_threads=1)
    measured = timer.blocked_autorange(min_run_time={seconds})
    times = 1e6 * torch.tensor(measured.times, dtype=torch.float64)
    low, middle, high = times.quantile(torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64))
    print(f"{{statement}}: {{middle:.3f}} µs (25 to 75 %: {{low:.3f}} to {{high:.3f}})")
"""


@dataclass(frozen=True)
class OperatorReport:
    """What to send with an issue.

    Attributes:
        script: a program that needs PyTorch alone.
        output: what it printed here, run in a process of its own.
        text: both, with the machine and versions, in Markdown.
    """

    script: str
    output: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def operator_report(
    slow: str, other: str, *, seconds: float = 1.0, **tensors: torch.Tensor
) -> OperatorReport:
    """Measure a slow operator and another on one thread of a process of their own; report it.

    Args:
        slow: the call, as source: ``"torch.nn.functional.gelu(x)"``.
        other: what it is compared with: another operator that does as much, or the same one on
            another layout or type.
        seconds: how long each is measured.
        tensors: by name, what the calls use; their numbers are not written down, their shape, type
            and layout are, the range of whole numbers, and whether gradients are asked for.

    Raises:
        ProfilingError: a value is no dense tensor on the CPU, or the script fails.

    >>> import torch
    >>> call = "torch.nn.functional.gelu(x)"
    >>> report = operator_report(call, "torch.relu(x)", x=torch.ones(64), seconds=0.01)
    >>> "x = torch.rand((64,), dtype=torch.float32)" in report.script
    True
    """
    made = [_made(name, tensor) for name, tensor in tensors.items()]
    script = _SCRIPT.format(tensors="\n".join(made), statements=(slow, other), seconds=seconds)
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**with_package(), "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    if done.returncode:
        last_line = done.stderr.strip().splitlines()[-1]
        raise ProfilingError(
            f"operator_report expects calls that run on the tensors it is given, got {slow!r} and "
            f"{other!r}, which ended with {last_line}."
        )
    output = done.stdout.strip()
    record = environment_record(threads=1)
    kept = ("torch", "python", "platform", "cpu", "logical_cores", "threads", "load_average")
    machine = "\n".join(f"- {name}: {record[name]}" for name in kept)
    first, second = (float(middle) for middle in re.findall(r": ([\d.]+) µs", output))
    text = (
        f"**`{slow}` takes {first / second:.1f} times as long as `{other}`**\n\n"
        "To reproduce, with PyTorch alone:\n\n"
        f"```python\n{script}```\n\nPrinted here:\n\n```\n{output}\n```\n\n{machine}\n"
    )
    return OperatorReport(script, output, text)


def _made(name: str, tensor: torch.Tensor) -> str:
    """Return the line that makes a tensor of the same shape, type and layout."""
    import torch

    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided or tensor.is_cuda:
        raise ProfilingError(
            f"operator_report expects {name} to be a dense tensor on the CPU, got "
            f"{describe(tensor)}."
        )
    shape, dtype = tuple(tensor.shape), tensor.dtype
    dense = tensor.is_contiguous()
    # In memory it has so many elements; where some are shared, fewer than the tensor.
    span = 1 + sum((size - 1) * step for size, step in zip(shape, tensor.stride(), strict=True))
    count = shape if dense else (span,)
    if dtype.is_floating_point or dtype.is_complex:
        how = f"torch.rand({count}, dtype={dtype})"
    else:  # they may be places in another tensor
        low, high = (int(x) for x in tensor.long().aminmax()) if tensor.numel() else (0, 0)
        how = f"torch.randint({low}, {high + 1}, {count}).to({dtype})"
    laid = "" if dense else f".as_strided({shape}, {tensor.stride()})"
    return f"{name} = {how}{laid}" + ".requires_grad_()" * tensor.requires_grad
