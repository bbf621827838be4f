"""The processes of a training: a single one, or those that `torchrun` started."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.distributed as dist

from hpml.base import accelerator
from hpml.course.training.errors import ProcessEndedError, TrainingError


@dataclass(frozen=True)
class Processes:
    """This process's rank and device, and the number of processes in the training."""

    rank: int
    count: int
    device: torch.device

    def summed(self, values: torch.Tensor) -> torch.Tensor:
        """Return the sum over all processes."""
        if self.count > 1:
            dist.all_reduce(values)
        return values

    def gathered(self, value: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensor of each process; all must have the same shape and be on the device."""
        if self.count == 1:
            return [value]
        values = [torch.empty_like(value) for _ in range(self.count)]
        dist.all_gather(values, value)
        return values


@contextlib.contextmanager
def processes(device: str | torch.device | None = None) -> Iterator[Processes]:
    """Join the processes that `torchrun` started, or use a single one."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    chosen = _device_of_process(device)
    if count == 1:
        # Recording CUDA graphs and synchronising streams use the current GPU.
        with accelerator.current(chosen):
            yield Processes(0, 1, chosen)
        return
    if chosen.type != "cpu":
        torch.accelerator.set_device_index(chosen)
    rank = int(os.environ["RANK"])
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        if not dist.is_initialized():
            # Destroyed only when the program ends: gloo can deadlock if it is destroyed while a
            # network still refers to it, and a second training needs it again.
            dist.init_process_group(dist.get_default_backend_for_device(chosen))
            if chosen.type != "cpu":
                atexit.register(dist.destroy_process_group)
        yield Processes(rank, count, chosen)
    except (RuntimeError, _Terminated) as error:
        if not _is_lost_connection(error):
            raise
        raise ProcessEndedError(
            f"Process {rank} of {count}: another process of this training has ended, so this one "
            f"cannot continue ({str(error).splitlines()[0][:120]}).",
            object=f"process {rank} of {count}",
            expected="all other processes of this training",
            received="one that has ended",
            remedy="Its output says why. Start all of them again with --resume.",
        ) from error
    finally:
        signal.signal(signal.SIGTERM, before)


def _device_of_process(device: str | torch.device | None) -> torch.device:
    """Return the device of this process, or raise an error if the machine lacks it."""
    wanted = str(device or accelerator.kind() or "cpu")
    if wanted != "cpu" and ":" not in wanted and wanted == accelerator.kind():
        wanted = f"{wanted}:{os.environ.get('LOCAL_RANK', '0')}"  # one for each process
    return accelerator.chosen(wanted, error=TrainingError)


class _Terminated(Exception):
    """`torchrun` ends this process because another one has ended."""


def _terminate(number: int, frame: object) -> None:
    raise _Terminated("torchrun sent SIGTERM")


def _is_lost_connection(error: Exception) -> bool:
    words = ("onnection", "Broken pipe", "gloo", "NCCL", "XCCL")
    return isinstance(error, (_Terminated, dist.DistError)) or any(w in str(error) for w in words)
