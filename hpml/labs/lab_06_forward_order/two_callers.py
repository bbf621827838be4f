"""Two callers of one model: interrupt a thread at a chosen layer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from hpml.course.errors import LabError

if TYPE_CHECKING:
    from torch import nn


Argument = TypeVar("Argument")
Result = TypeVar("Result")

PATIENCE = 60.0
"""Seconds after which a held thread raises an error instead of waiting forever."""


def pause_layer() -> nn.Module:
    """Return a layer that returns its input; `interrupted` can hold one caller inside it."""
    from torch import nn

    class Pause(nn.Module):
        hold: Callable[[], None] | None = None

        def forward(self, x: Any) -> Any:
            hold, self.hold = self.hold, None
            if hold is not None:
                hold()
            return x

    return Pause()


def interrupted(
    forward: Callable[[Argument], Result], pause: nn.Module, first: Argument, second: Argument
) -> tuple[Result, Result]:
    """Run `forward` for two callers, the second one while the first is in the pause layer."""
    layer: Any = pause
    stopped, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        stopped.set()
        if not go_on.wait(PATIENCE):
            raise LabError(f"the second caller did not finish within {PATIENCE:.0f} s")

    layer.hold = hold
    with ThreadPoolExecutor(1) as threads:
        held = threads.submit(forward, first)
        held.add_done_callback(lambda _: stopped.set())
        try:
            stopped.wait(PATIENCE)
            if held.done():
                held.result()
                raise LabError(
                    "interrupted expected a forward that calls the pause layer, received one that "
                    "returned without calling it; put the layer between two others"
                )
            result = forward(second)
        finally:
            layer.hold = None
            go_on.set()
        return held.result(), result
