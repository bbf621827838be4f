"""Compare vector instruction sets, which a process chooses once, by ``ATEN_CPU_CAPABILITY``.

The variable affects PyTorch's own loops, such as `sigmoid`. Matrix products, convolutions, GELU and
`tanh` come from MKL and oneDNN, which choose independently.
"""

from __future__ import annotations

import contextlib
import os
import sys

from hpml.base.child_process import ChildProcess
from hpml.benchmark import Comparison, compare

from .errors import RuntimesError

LEVELS = ("default", "avx2", "avx512")
"""The values of ``ATEN_CPU_CAPABILITY`` on x86."""

_CALLS = 1000
"""Calls per request to the child process, so many that the request itself is negligible."""

_CHILD = f"""\
import json, sys, torch
torch.set_num_threads(1)
operator, count = sys.argv[1:]
function, x = getattr(torch.nn.functional, operator, None), torch.rand(int(count))
function = function or getattr(torch, operator)
print(json.dumps(torch.backends.cpu.get_cpu_capability()), flush=True)
for request in sys.stdin:
    for _ in range({_CALLS}):
        function(x)
    print("true", flush=True)
"""


def available_levels() -> tuple[str, ...]:
    """Return the levels that this processor supports.

    >>> "default" in available_levels()
    True
    """
    import torch

    widest = torch.backends.cpu.get_cpu_capability().lower()
    return LEVELS[: LEVELS.index(widest) + 1] if widest in LEVELS else LEVELS[:1]


def compare_vector_instructions(operator: str = "sigmoid", count: int = 10_000) -> Comparison:
    """Measure an operator at each level, each in its own process, in interleaved rounds.

    Args:
        operator: a function of `torch.nn.functional` or `torch` with one tensor as argument.
        count: size of its float32 input; it runs on one thread.

    Raises:
        ChildError: if `operator` does not exist.

    Source: https://docs.pytorch.org/docs/stable/torch_environment_variables.html
    """

    def calling(child: ChildProcess) -> object:
        child.send("call")
        return child.receive()

    contenders = {}
    with contextlib.ExitStack() as stack:
        for level in available_levels():
            command = [sys.executable, "-P", "-c", _CHILD, operator, str(count)]
            environment = {**os.environ, "ATEN_CPU_CAPABILITY": level}
            child = ChildProcess(command, environment=environment)
            stack.callback(child.close)
            used = child.receive()
            if used.lower() != level:
                raise RuntimesError(
                    object=f"PyTorch with ATEN_CPU_CAPABILITY={level}",
                    expected=level,
                    received=used,
                    remedy="Use a build of PyTorch that has this level.",
                )
            contenders[level] = lambda child=child: calling(child)
        return compare(contenders, rounds=15).per(_CALLS)
