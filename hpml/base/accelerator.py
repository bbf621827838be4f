"""The accelerator of this machine, whatever its make: NVIDIA's, AMD's, Apple's, Intel's.

Only here, and where a feature exists on CUDA alone, does the package name a make of accelerator.
What an accelerator can do is found by trying it once, because neither its name nor its type says.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from hpml.base.errors import HpmlError, UsageError, describe

if TYPE_CHECKING:
    import torch

_Time = TypeVar("_Time", int, float)

Feature = Literal["float64", "bfloat16", "scaler", "events", "pinned", "graphs", "compile"]
"""What `can` tries: numbers of 64 bits; bfloat16 in hardware; the gradient scaler; timing by
events; transfers from pinned memory; recording CUDA graphs; `torch.compile`."""

_PATIENCE = 20.0
"""Seconds that a trial may take; one of events hangs on some accelerators."""
_PATIENCE_TO_COMPILE = 180.0


@dataclass(frozen=True)
class PeakMemory:
    """The peaks since `reset_peak_memory`, in bytes."""

    allocated: int  # by tensors
    reserved: int  # by PyTorch for tensors, with the private pools of recorded graphs


def kind() -> str | None:
    """Return the type of this machine's accelerator, as ``"cuda"`` or ``"mps"``, or None.

    PyTorch calls AMD's GPUs ``"cuda"`` too. It imports torch.
    """
    import torch

    found = torch.accelerator.current_accelerator(check_available=True)
    return None if found is None else str(found.type)


def count() -> int:
    """Return the number of accelerators that PyTorch can use. It imports torch."""
    import torch

    return torch.accelerator.device_count() if kind() else 0


def names() -> tuple[str, ...]:
    """Return the names of all devices that can be chosen: ``("cpu", "cuda", "cuda:0")``.

    >>> names()[0]
    'cpu'
    """
    found = kind()
    numbered = (f"{found}:{number}" for number in range(count()))
    return ("cpu", *((found, *numbered) if found else ()))


def chosen(name: object = None, *, error: type[HpmlError] = UsageError) -> torch.device:
    """Return the device of this name, once a tensor could be made on it. It imports torch.

    Args:
        name: ``"cpu"``, or the type of an accelerator with or without a number, as ``"cuda:1"``;
            None for the accelerator if there is one, and the CPU otherwise.
        error: the exception for a device that this machine lacks.

    >>> chosen("cpu")
    device(type='cpu')
    >>> chosen("abacus")
    Traceback (most recent call last):
    hpml.base.errors.UsageError: device: expected ... received 'abacus'. ...
    """
    import torch

    available = names()
    wanted = (kind() or "cpu") if name is None else str(name)
    if wanted in available:
        with contextlib.suppress(RuntimeError, NotImplementedError, AssertionError):
            device = torch.device(wanted)
            torch.empty(0, device=device)
            return device
    raise error(
        object="device",
        expected=f"one of {', '.join(available)}, which torch finds on this machine",
        received=describe(str(name) if isinstance(name, torch.device) else name),
        remedy="Use one of them, or install a PyTorch that supports this machine's GPU.",
    )


def in_use() -> bool:
    """Return whether this process uses an accelerator; it imports nothing and starts none."""
    return _type_in_use() is not None


def _type_in_use() -> str | None:
    torch = sys.modules.get("torch")
    accelerator = getattr(torch, "accelerator", None)  # absent while torch is being imported
    found = None if accelerator is None else accelerator.current_accelerator()
    if torch is None or found is None:
        return None
    module = torch.get_device_module(found)
    # Where PyTorch does not say whether it has started, it starts with the first tensor.
    started = getattr(module, "is_initialized", module.is_available)
    return str(found.type) if started() else None


def synchronise(*devices: str | torch.device) -> None:
    """Wait until accelerators have done the work that this process gave them.

    It does nothing if the process uses none. Work on an accelerator that is not waited for is timed
    as its launches.

    Args:
        devices: which accelerators; without any, the current one. Others need no waiting.

    >>> synchronise("cpu")
    """
    used = _type_in_use()
    if used is None:
        return
    import torch

    for device in _to_wait_for(used, devices):
        torch.accelerator.synchronize(device)


def _to_wait_for(used: str, devices: Iterable[str | torch.device]) -> list[torch.device | None]:
    """Return the devices of the type in use, each once; None, the current one, if there is none."""
    import torch

    wanted = [device for device in map(torch.device, devices) if device.type == used]
    return list(dict.fromkeys(wanted)) or [None]


def clock(read: Callable[[], _Time], *devices: str | torch.device) -> Callable[[], _Time]:
    """Return a clock that first waits for accelerators, as `synchronise` does."""
    waits: list[Any] = []

    def wait_then_read() -> _Time:
        # What is in use stays in use, so it is looked up once: a clock is read often.
        if not waits and (used := _type_in_use()) is not None:
            waits.extend(_to_wait_for(used, devices))
        for device in waits:
            sys.modules["torch"].accelerator.synchronize(device)
        return read()

    return wait_then_read


def name(device: str | torch.device | None) -> str | None:
    """Return the name of an accelerator as torch knows it, or None for one that is not there.

    Apple's GPUs have no name of their own: they are called "mps", and the processor names the chip.

    >>> name("cpu") is None
    True
    """
    module = _module(device)
    if module is None or not hasattr(module, "get_device_name"):
        return None if module is None else str(device).partition(":")[0]
    return str(module.get_device_name(device))


def total_memory(device: str | torch.device) -> int | None:
    """Return the bytes of an accelerator's memory that torch may use, or None if unknown."""
    module = _module(device)
    if hasattr(module, "get_device_properties"):
        return int(module.get_device_properties(device).total_memory)
    recommended = getattr(module, "recommended_max_memory", None)
    return None if recommended is None else int(recommended())


def free_memory(device: str | torch.device) -> int | None:
    """Return the bytes of an accelerator's memory that nothing uses now, or None if unknown."""
    import torch

    if _module(device) is None:
        return None
    with contextlib.suppress(RuntimeError, NotImplementedError, AttributeError):
        return int(torch.accelerator.get_memory_info(torch.device(device))[0])
    return None


def reset_peak_memory(device: str | torch.device) -> None:
    """Start the peaks of `peak_memory` anew, where they are known."""
    module = _module(device)
    if hasattr(module, "reset_peak_memory_stats"):
        module.reset_peak_memory_stats(device)


def peak_memory(device: str | torch.device) -> PeakMemory | None:
    """Return the peaks of an accelerator's memory, or None where torch does not know them."""
    module = _module(device)
    if not hasattr(module, "max_memory_reserved"):
        return None
    return PeakMemory(module.max_memory_allocated(device), module.max_memory_reserved(device))


def random_state(device: str | torch.device) -> torch.Tensor | None:
    """Return the state of an accelerator's random generator, a CPU tensor; None for the CPU."""
    module = _module(device)
    state: torch.Tensor | None = None if module is None else module.get_rng_state(device)
    return state


def set_random_state(state: torch.Tensor | None, device: str | torch.device) -> None:
    """Set the state of an accelerator's random generator; None changes nothing."""
    if state is not None:
        _module(device).set_rng_state(state, device)


def seed(number: int, device: str | torch.device) -> None:
    """Seed an accelerator's random generator; those of the CPU and of others stay as they are."""
    module = _module(device)
    if module is not None:
        with current(device):
            module.manual_seed(number)


def free_cached() -> None:
    """Return the memory that PyTorch keeps for later tensors to the accelerator, if one is used.

    Other processes can have it only then.
    """
    used = _type_in_use()
    if used is None:
        return
    import torch

    gc.collect()
    release = getattr(torch.get_device_module(used), "empty_cache", None)
    if release is not None:
        release()


def _module(device: str | torch.device | None) -> Any:
    """Return torch's module of an accelerator that this machine has, otherwise None."""
    if device is None or str(device) not in names()[1:]:
        return None
    import torch

    return torch.get_device_module(device)


@contextlib.contextmanager
def current(device: str | torch.device) -> Iterator[None]:
    """Make an accelerator the current one in a ``with`` block; the CPU changes nothing."""
    import torch

    given = torch.device(device)
    if _module(given) is None or given.index is None:
        yield
        return
    before = torch.accelerator.current_device_index()
    torch.accelerator.set_device_index(given)
    try:
        yield
    finally:
        torch.accelerator.set_device_index(before)


def can(feature: Feature, device: str | torch.device) -> bool:
    """Return whether a device has a feature, found by trying it once in this process.

    Args:
        feature: one of `Feature`. ``"bfloat16"`` is False where torch says that it is emulated, as
            on a T4; of Apple's chips torch does not say.
        device: the CPU or an accelerator.

    Raises:
        UsageError: for another feature.

    >>> can("float64", "cpu"), can("graphs", "cpu")
    (True, False)
    """
    if feature not in get_args(Feature):
        raise UsageError(
            object="feature",
            expected=f"one of {', '.join(get_args(Feature))}",
            received=describe(feature),
            remedy="Pass one of them.",
        )
    return _can(feature, str(device))


def rounds_convolutions(device: str | torch.device) -> bool:
    """Return whether convolutions of float32 numbers round their inputs to TF32 on a device.

    This is cuDNN's default on NVIDIA's cards since Ampere. ``torch.backends.cudnn.allow_tf32``
    switches it off; products of matrices have a switch of their own, which is off by default.

    Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#tf32-on-ampere

    >>> rounds_convolutions("cpu")
    False
    """
    import torch

    module = _module(device)
    if module is None or not hasattr(module, "get_device_capability") or torch.version.hip:
        return False
    if torch.device(device).type not in _WITH_TF32 or module.get_device_capability(device) < (8, 0):
        return False
    of_convolutions = getattr(torch.backends.cudnn, "conv", None)  # newer than allow_tf32
    if of_convolutions is None:
        return bool(torch.backends.cudnn.allow_tf32)
    return bool(of_convolutions.fp32_precision == "tf32")


_WITH_TF32 = ("cuda",)
_OF_ACCELERATORS = ("events", "pinned", "graphs")


@cache
def _can(feature: Feature, device: str) -> bool:
    """Try a feature in a thread, since a trial may hang."""
    if feature in _OF_ACCELERATORS and _module(device) is None:
        return False
    found: list[bool] = []

    def attempt() -> None:
        with contextlib.suppress(Exception):
            found.append(_TRIALS[feature](device))

    trial = threading.Thread(target=attempt, name=f"try {feature}", daemon=True)
    trial.start()
    trial.join(_PATIENCE_TO_COMPILE if feature == "compile" else _PATIENCE)
    return found == [True]


def _float64(device: str) -> bool:
    import torch

    return float((torch.full((2,), 1 + 1e-12, dtype=torch.float64, device=device) - 1).sum()) > 0


def _bfloat16(device: str) -> bool:
    import torch

    given = torch.device(device)
    product = torch.ones(8, 8, dtype=torch.bfloat16, device=given)
    if float((product @ product).sum()) != 512:
        return False
    module = torch.get_device_module(given)
    supported = getattr(module, "is_bf16_supported", None)
    return supported is None or bool(supported(including_emulation=False))


def _scaler(device: str) -> bool:
    import torch

    given = torch.device(device)
    weight = torch.ones(2, device=given, requires_grad=True)
    scaler, step = torch.amp.GradScaler(given.type), torch.optim.SGD([weight], 1.0)
    scaler.scale(weight.sum()).backward()  # type: ignore[no-untyped-call]
    scaler.step(step)
    scaler.update()
    return weight.tolist() == [0.0, 0.0]


def _events(device: str) -> bool:
    import torch

    given = torch.device(device)
    with current(given):
        marks = [torch.Event(given, enable_timing=True) for _ in range(3)]
        values = torch.ones(256, 256, device=given)
        for mark in marks:
            mark.record()
            values = values @ values.clamp(max=1e-3)
        torch.accelerator.synchronize(given)
        first, both = marks[0].elapsed_time(marks[1]), marks[0].elapsed_time(marks[2])
    return 0 < first < both < 1e4


def _pinned(device: str) -> bool:
    import torch

    pinned = torch.arange(1024.0).pin_memory()
    there = pinned.to(device, non_blocking=True)
    synchronise(device)
    return pinned.is_pinned() and bool((there.cpu() == pinned).all())


def _graphs(device: str) -> bool:
    import torch

    given = torch.device(device)
    if given.type != "cuda":  # CUDA graphs are CUDA's; ROCm records them under the same name
        return False
    with current(given):
        values, graph = torch.zeros(4, device=given), torch.cuda.CUDAGraph()
        values.add_(0)
        torch.cuda.synchronize(given)
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            values.add_(1)
        graph.replay()
        graph.replay()
        return values.tolist() == [2.0] * 4


def _compile(device: str) -> bool:
    import torch

    compiled = torch.compile(lambda x: x * 2 + 1)
    return float(compiled(torch.ones(4, device=device)).sum()) == 12


_TRIALS: dict[str, Callable[[str], bool]] = {
    "float64": _float64,
    "bfloat16": _bfloat16,
    "scaler": _scaler,
    "events": _events,
    "pinned": _pinned,
    "graphs": _graphs,
    "compile": _compile,
}
