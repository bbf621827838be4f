"""A reproducible report on a slow operator: a script, its output and the machine."""

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
calls = {calls}
timers = [Timer(call, globals=globals(), num_threads=1) for call in calls]
turns = []  # both calls in each turn, because the speed of a machine drifts
for _ in range(25):
    turns.append([1e6 * t.blocked_autorange(min_run_time={seconds} / 25).median for t in timers])
slow, other = torch.tensor(turns, dtype=torch.float64).T
for name, values in zip([*calls, "ratio in a turn"], [slow, other, slow / other]):
    low, middle, high = values.quantile(torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64))
    unit = " µs" if name in calls else ""
    print(f"{{name}}: {{middle:.3f}}{{unit}} (25 to 75 %: {{low:.3f}} to {{high:.3f}})")
"""


@dataclass(frozen=True)
class OperatorReport:
    """A script that needs only PyTorch, its output, and both with the machine as Markdown text."""

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
    """Measure a slow operator and another one on one thread of a new process, and report them.

    Args:
        slow: the call as source code: ``"torch.nn.functional.gelu(x)"``.
        other: a call to compare it with, such as another operator with as much work, or the same
            operator on another layout or dtype.
        seconds: measuring time for each.
        tensors: the tensors that the calls use, by name. The script has random tensors of the same
            shape, dtype and layout.

    Raises:
        ProfilingError: if a value is not a dense tensor of floating-point numbers on the CPU, or
            the script fails.

    >>> import torch
    >>> call = "torch.nn.functional.gelu(x)"
    >>> report = operator_report(call, "torch.relu(x)", x=torch.ones(64), seconds=0.01)
    >>> "x = torch.rand((64,), dtype=torch.float32)" in report.script
    True
    """
    lines = [_tensor_line(name, tensor) for name, tensor in tensors.items()]
    script = _SCRIPT.format(tensors="\n".join(lines), calls=[slow, other], seconds=seconds)
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
            object="calls of operator_report",
            expected="calls that run with the given tensors",
            received=f"{slow!r} and {other!r}, which failed with {last_line.rstrip('.')}",
            remedy="Correct the call that the message is about.",
        )
    output = done.stdout.strip()
    record = environment_record(threads=1)
    names = ("torch", "python", "platform", "cpu", "logical_cores", "threads", "load_average")
    machine = "\n".join(f"- {name}: {record[name]}" for name in names)
    found = re.findall(r"\d+\.\d+", output.splitlines()[-1])
    ratio, low, high = (f"{float(each):.2f}" for each in found)
    text = (
        f"**`{slow}` takes {ratio} times as long as `{other}`** "
        f"(half of the turns: {low} to {high})\n\n"
        "To reproduce (needs only PyTorch):\n\n"
        f"```python\n{script}```\n\nOutput:\n\n```\n{output}\n```\n\n{machine}\n"
    )
    return OperatorReport(script, output, text)


def _tensor_line(name: str, tensor: torch.Tensor) -> str:
    """Return the source line that creates a tensor of the same shape, dtype and layout."""
    import torch

    dense = isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided
    if not dense or tensor.device.type != "cpu" or not tensor.is_floating_point():
        raise ProfilingError(
            object=f"tensor {name} of operator_report",
            expected="a dense tensor of floating-point numbers on the CPU",
            received=describe(tensor),
            remedy="Convert it, as with x.to_dense(), x.float() or x.cpu().",
        )
    shape = tuple(tensor.shape)
    if tensor.is_contiguous():
        return f"{name} = torch.rand({shape}, dtype={tensor.dtype})"
    # Elements in memory; fewer than in the tensor if a stride is 0.
    span = 1 + sum((size - 1) * step for size, step in zip(shape, tensor.stride(), strict=True))
    values = f"torch.rand(({span},), dtype={tensor.dtype})"
    return f"{name} = {values}.as_strided({shape}, {tensor.stride()})"
