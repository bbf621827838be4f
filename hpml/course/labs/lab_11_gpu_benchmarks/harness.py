"""The harness of lab 11: a device with a simulated queue and a fake clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AT_MOST = 1000
"""The largest number of calls of `fn` in a case, which stops a function that never ends."""


class Mark:
    """An event in the queue, with the time when the device reaches it."""

    def __init__(self, time: float) -> None:
        self._time = time

    def elapsed_time(self, end: Mark) -> float:
        """Return the milliseconds to a later mark, as `torch.Event` does."""
        return 1e3 * (end._time - self._time)


class Device:
    """A queue of work, with separate times of the program and the device."""

    def __init__(self, now: float, queued: float) -> None:
        self._now, self._free = now, now + queued

    def clock(self) -> float:
        """Return the program's time in seconds."""
        return self._now

    def event(self) -> Mark:
        """Put a mark into the queue."""
        return Mark(max(self._now, self._free))

    def synchronize(self) -> None:
        """Wait until the device has done all issued work."""
        self._now = max(self._now, self._free)


def call_and_device(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments: a function that launches kernels, and their device."""
    device = Device(data["start"], data["queued"])
    calls = [0]

    def fn() -> None:
        calls[0] += 1
        if calls[0] > AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST} calls of fn")
        if calls[0] == 1:
            device._now += data["first"]
        for seconds in data["kernels"]:
            device._now += data["launch"]
            device._free = max(device._free, device._now) + seconds

    return {"fn": fn, "device": device}
