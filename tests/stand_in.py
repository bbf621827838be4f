"""An accelerator without hardware: a queue that a thread works off, behind torch's interface.

Its tensors are on the device "meta", the only one besides the CPU that every build of torch has.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch

from hpml.base import accelerator
from hpml.course.labs.lab_11_gpu_benchmarks.devices import AsyncDevice

CARDS = ("RTX 4060", "H100")


class StandIn:
    """Two cards, as `torch.cuda` or `torch.xpu` show them, and what the program asked of them."""

    def __init__(self) -> None:
        self.queue = AsyncDevice()
        self.waited: list[Any] = []
        self.index = 0
        self.started = True
        self.state = torch.arange(16, dtype=torch.uint8)
        self.peaks_reset: list[Any] = []
        self.emptied = 0
        self.seeded: list[tuple[int, int]] = []

    def launch(self, seconds: float) -> None:
        """Give the device work that takes so long, without waiting."""
        self.queue.launch(seconds)

    def synchronize(self, device: Any = None) -> None:
        """Wait for the work; torch raises for a device of another type."""
        assert device is None or torch.device(device).type == "meta"
        self.waited.append(device)
        self.queue.synchronize()

    def is_available(self) -> bool:
        """There is one."""
        return True

    def is_initialized(self) -> bool:
        """Whether the process uses it."""
        return self.started

    def device_count(self) -> int:
        """Return the number of cards."""
        return len(CARDS)

    def get_device_name(self, device: Any) -> str:
        """Return the name of a card."""
        number = torch.device(device).index
        return CARDS[self.index if number is None else number]

    def get_device_properties(self, device: Any) -> Any:
        """Return an object with the memory."""

        class Properties:
            total_memory = 8 * 2**30

        return Properties()

    def get_rng_state(self, device: Any) -> torch.Tensor:
        """Return the state of the random generator."""
        return self.state.clone()

    def set_rng_state(self, state: torch.Tensor, device: Any) -> None:
        """Set it."""
        self.state = state.clone()

    def manual_seed(self, number: int) -> None:
        """Seed the current card."""
        self.seeded.append((self.index, number))

    def reset_peak_memory_stats(self, device: Any) -> None:
        """Start the peaks anew."""
        self.peaks_reset.append(device)

    def empty_cache(self) -> None:
        """Return what is cached."""
        self.emptied += 1

    def max_memory_allocated(self, device: Any) -> int:
        """Return the peak of tensors."""
        return 3 * 2**20

    def max_memory_reserved(self, device: Any) -> int:
        """Return the peak of what torch requested."""
        return 4 * 2**20


def put_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Let torch find the stand-in for the length of a test."""
    device = StandIn()
    asked = torch.accelerator

    def use(chosen: Any) -> None:
        device.index = chosen if isinstance(chosen, int) else torch.device(chosen).index or 0

    monkeypatch.setattr(
        asked, "current_accelerator", lambda check_available=False: torch.device("meta")
    )
    monkeypatch.setattr(asked, "device_count", device.device_count)
    monkeypatch.setattr(asked, "synchronize", device.synchronize)
    monkeypatch.setattr(asked, "current_device_index", lambda: device.index)
    monkeypatch.setattr(asked, "set_device_index", use)
    free = (7 * 2**30, 8 * 2**30)
    monkeypatch.setattr(asked, "get_memory_info", lambda chosen: free, raising=False)
    monkeypatch.setattr(torch, "get_device_module", lambda given=None: device)
    monkeypatch.setattr(accelerator, "_can", accelerator._can.__wrapped__)
    return device
