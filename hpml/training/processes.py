"""One process or many: what `torchrun` says of them, and what they must agree on."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.distributed as dist

from hpml.base.errors import describe
from hpml.training.errors import ProcessEndedError, TrainingError


@dataclass(frozen=True)
class Processes:
    """This process among those of the training."""

    rank: int
    count: int
    device: torch.device

    def summed(self, values: torch.Tensor) -> torch.Tensor:
        """Return the sum over the processes."""
        if self.count > 1:
            dist.all_reduce(values)
        return values

    def gathered(self, value: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensor of each process, of which all have one shape; on the device."""
        if self.count == 1:
            return [value]
        places = [torch.empty_like(value) for _ in range(self.count)]
        dist.all_gather(places, value)
        return places


@contextlib.contextmanager
def processes(device: str | torch.device | None = None) -> Iterator[Processes]:
    """Join the processes that `torchrun` started, or be the only one."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    chosen = _here(device)
    if count == 1:
        # Kernels are recorded, and streams waited for, on the current GPU.
        with torch.cuda.device(chosen) if chosen.type == "cuda" else contextlib.nullcontext():
            yield Processes(0, 1, chosen)
        return
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)
    rank = int(os.environ["RANK"])
    before = signal.signal(signal.SIGTERM, _ended)
    try:
        if not dist.is_initialized():
            # Kept until the program ends: gloo may wait for itself forever when it is taken down
            # while a network still refers to it, and a second training needs it again.
            dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
            if chosen.type == "cuda":
                atexit.register(dist.destroy_process_group)
        yield Processes(rank, count, chosen)
    except (RuntimeError, _Terminated) as error:
        if not _is_about_the_others(error):
            raise
        raise ProcessEndedError(
            f"Process {rank} of {count}: another process of this training has ended, so this one "
            "cannot continue. Its output says why; start all of them again with --resume. "
            f"({str(error).splitlines()[0][:120]})"
        ) from error
    finally:
        signal.signal(signal.SIGTERM, before)


def _here(device: str | torch.device | None) -> torch.device:
    """Return the device of this process, or refuse what this machine has not."""
    asked = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(asked)
        if chosen.type == "cuda" and chosen.index is None:
            chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        if chosen.type not in ("cpu", "cuda"):
            raise RuntimeError("a device without numbers, or one that was never tried")
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        raise TrainingError(
            f"device: expected cpu, cuda or cuda:1, with a GPU for each process, got "
            f"{describe(str(asked))}; torch sees {gpus or 'no'} GPU{'s' if gpus > 1 else ''} here. "
            "Use cpu, or see `hpml doctor`."
        ) from error
    return chosen


class _Terminated(Exception):
    """`torchrun` ends this process, since another has ended."""


def _ended(number: int, frame: object) -> None:
    raise _Terminated("torchrun asked this one to end: signal SIGTERM")


def _is_about_the_others(error: Exception) -> bool:
    words = ("onnection", "Broken pipe", "gloo", "NCCL")
    return isinstance(error, (_Terminated, dist.DistError)) or any(w in str(error) for w in words)
