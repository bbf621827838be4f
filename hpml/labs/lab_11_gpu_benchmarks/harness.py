"""A device for lab 11 on which no time passes but what is said: a queue and a clock of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AT_MOST = 1000
"""Calls of the function in one trial; then one that never ends is stopped."""


class Mark:
    """A place in the queue, with the time when the device gets there."""

    def __init__(self, time: float) -> None:
        self._time = time

    def since(self, earlier: Mark) -> float:
        """Return the seconds from an earlier mark to this one."""
        return self._time - earlier._time


class Device:
    """A queue that is worked off in order; the program's time and the device's are two."""

    def __init__(self, now: float, queued: float) -> None:
        self._now, self._free = now, now + queued

    def clock(self) -> float:
        """Return the program's time in seconds."""
        return self._now

    def event(self) -> Mark:
        """Put a mark into the queue."""
        return Mark(max(self._now, self._free))

    def synchronize(self) -> None:
        """Wait until the device has done all that was issued."""
        self._now = max(self._now, self._free)


def call_and_device(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments: a function that launches kernels, and the device they run on."""
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
