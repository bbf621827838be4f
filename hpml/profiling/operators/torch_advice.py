"""What to try first, given the times of PyTorch's operators; each rule names what it saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hpml.base.tables import format_bytes, format_seconds, readable
from hpml.profiling.operators.torch_trace import Operator, Trace

OUTSIDE = 0.3
"""Share of a step without a running operator from which Python is worth a look."""

WAITING = 0.1
"""Share of a step that the data loader may take."""

COPIES = 0.1
"""Share of the operators' time that copies may take."""

ARITHMETIC = 0.5
"""Share of the operators' time from which a kind of operators dominates."""

SHORT = 20e-6
"""Seconds. PyTorch needs 1 to 10 µs to start an operator, as much as a short one runs."""

MANY = 50
"""Calls of operators in a step from which short ones are worth fusing."""

IDLE = 0.3
"""Share of a step in which the GPU may be idle."""

_COPIES = ("aten::copy_", "aten::clone", "aten::contiguous", "aten::_to_copy", "aten::cat")
_ARITHMETIC = ("mm", "addmm", "bmm", "baddbmm", "linear", "convolution", "attention", "lstm", "gru")


def what_to_try(trace: Trace) -> tuple[str, ...]:
    """Return one sentence for each rule that applies, or one on the largest operator."""
    rules: tuple[Callable[[Trace], str], ...] = (
        _loader,
        _reads,
        _gpu_idle,
        _outside,
        _short,
        _copies,
        _arithmetic,
        _memory,
    )
    found = tuple(sentence for rule in rules if (sentence := rule(trace)))
    return found or (_largest(trace),)


def _sum(operators: Iterable[Operator], names: Iterable[str]) -> tuple[int, float]:
    """Return the calls and own seconds of operators of these names."""
    wanted = set(names)
    found = [each for each in operators if each.name in wanted]
    return sum(each.calls for each in found), sum(each.self_cpu + each.device for each in found)


def _own(trace: Trace) -> float:
    return sum(each.self_cpu + each.device for each in trace.operators.values())


def _loader(trace: Trace) -> str:
    parts = {**trace.parts, **trace.operators}
    waited = sum(
        e.total_cpu for name, e in parts.items() if name.startswith("enumerate(DataLoader")
    )
    share = waited / sum(trace.steps)
    if share < WAITING:
        return ""
    return (
        f"the data loader takes {share:.0%} of a step: num_workers, persistent_workers and "
        "pin_memory of the DataLoader, or data that is prepared once."
    )


def _reads(trace: Trace) -> str:
    each = trace.reads / len(trace.steps)
    if each <= 1:
        return ""
    return (
        f"a step reads {readable(each, 3)} single numbers from tensors (item, float, if): read "
        "them once, together, after the steps. On a GPU each waits for all kernels."
    )


def _gpu_idle(trace: Trace) -> str:
    if not trace.kernels:
        return ""
    busy = sum(kernel.device for kernel in trace.kernels.values()) / sum(trace.steps)
    if 1 - busy < IDLE:
        return ""
    return (
        f"the GPU computes for {busy:.0%} of a step, and waits otherwise: a larger batch, "
        "torch.compile(mode='reduce-overhead') or CUDA graphs."
    )


def _outside(trace: Trace) -> str:
    share = 1 - trace.inside / sum(trace.steps)
    if share < OUTSIDE:
        return ""
    return (
        f"during {share:.0%} of a step no operator runs, but Python between them: "
        "hpml.profiling.profile or time_lines shows where; then fewer and larger operators, or "
        "torch.compile."
    )


def _short(trace: Trace) -> str:
    short = [e for e in trace.operators.values() if 0 < e.self_cpu < SHORT * e.calls]
    calls = sum(each.calls for each in short) / len(trace.steps)
    share = sum(each.self_cpu for each in short) / (_own(trace) or 1.0)
    if calls < MANY or share < ARITHMETIC:
        return ""
    return (
        f"a step calls {calls:,.0f} operators that take less than {format_seconds(SHORT)} each, "
        f"{share:.0%} of the operators' time, which is mostly the call itself: torch.compile, "
        "which fuses them; a larger batch; fused=True of the optimiser."
    )


def _copies(trace: Trace) -> str:
    calls, seconds = _sum(trace.operators.values(), _COPIES)
    share = seconds / (_own(trace) or 1.0)
    if share < COPIES:
        return ""
    return (
        f"{readable(calls / len(trace.steps), 3)} copies take {share:.0%} of the operators' time: "
        "one dtype, device and memory format from the beginning; views in place of contiguous, "
        "clone and cat."
    )


def _arithmetic(trace: Trace) -> str:
    operators = trace.operators.values()
    names = [
        e.name for e in operators if any(word in e.name.split("::")[-1] for word in _ARITHMETIC)
    ]
    _, seconds = _sum(operators, names)
    share = seconds / (_own(trace) or 1.0)
    if share < ARITHMETIC:
        return ""
    return (
        f"matrix products and convolutions take {share:.0%} of the operators' time, so the "
        "arithmetic itself counts: torch.autocast to bfloat16, TF32 on a GPU, channels_last for "
        "convolutions, as many threads as cores, or a smaller model."
    )


def _memory(trace: Trace) -> str:
    if not trace.operators:
        return ""
    largest = max(trace.operators.values(), key=lambda each: each.allocated)
    total = sum(each.allocated for each in trace.operators.values())
    if trace.peak < 2**30 or largest.allocated < total / 2:
        return ""
    return (
        f"{largest.name} allocates {format_bytes(largest.allocated / len(trace.steps))} in a step: "
        "smaller batches, torch.utils.checkpoint, or out= and in-place operators."
    )


def _largest(trace: Trace) -> str:
    if not trace.operators:
        return "call PyTorch's operators in the step: none was recorded."
    largest = max(trace.operators.values(), key=lambda each: each.self_cpu + each.device)
    share = (largest.self_cpu + largest.device) / (_own(trace) or 1.0)
    return (
        f"{largest.name} has the largest share of the operators' time ({share:.0%}): is it needed, "
        "and needed that often? shapes=True shows its arguments in the trace."
    )
