"""How wide a vector PyTorch's own loops use: chosen once a process, by ``ATEN_CPU_CAPABILITY``.

It rules the loops that PyTorch compiled itself, such as `sigmoid`. Products, convolutions, GELU and
`tanh` come from MKL and oneDNN, which choose by themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from hpml.benchmark import Comparison, ProcessContender, compare

from .errors import RuntimesError

LEVELS = ("default", "avx2", "avx512")
"""The values of ``ATEN_CPU_CAPABILITY`` on x86."""


def operator_run(level: str, operator: str, count: int) -> Callable[[], object]:
    """Return a call of an operator on random numbers; runs in a process of its own."""
    os.environ["ATEN_CPU_CAPABILITY"] = level
    import torch

    torch.set_num_threads(1)
    used = torch.backends.cpu.get_cpu_capability()
    if used.lower() != level:
        raise RuntimesError(f"ATEN_CPU_CAPABILITY={level} was asked for, PyTorch uses {used}")
    function, x = getattr(torch.nn.functional, operator, None), torch.rand(count)
    function = function or getattr(torch, operator)
    return lambda: function(x)


def available_levels() -> tuple[str, ...]:
    """Return the levels that this processor has.

    >>> "default" in available_levels()
    True
    """
    import torch

    widest = torch.backends.cpu.get_cpu_capability().lower()
    return LEVELS[: LEVELS.index(widest) + 1] if widest in LEVELS else LEVELS[:1]


def compare_vector_instructions(operator: str = "sigmoid", count: int = 10_000) -> Comparison:
    """Measure an operator at each level, each in a process of its own, in interleaved rounds.

    Args:
        operator: a function of `torch.nn.functional` or `torch` with one tensor as argument.
        count: how many numbers it gets, float32; one thread.

    Source: https://docs.pytorch.org/docs/stable/torch_environment_variables.html
    """
    target = f"{__name__}:operator_run"
    return compare(
        [
            ProcessContender(name, target, {"level": name, "operator": operator, "count": count})
            for name in available_levels()
        ],
        rounds=15,
    )
