"""Two callers of one model: interrupt a thread at a chosen layer."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from torch import nn


Argument = TypeVar("Argument")
Result = TypeVar("Result")

PATIENCE = 60.0
"""The most seconds that a caller is held."""


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


def three_nodes(node: Callable[..., Any]) -> tuple[nn.Module, Any, list[Any]]:
    """Return a pause layer, the first node, and those that double it, pause, and add the two."""
    pause, start = pause_layer(), node(None)
    doubled = node(lambda value: 2 * value, start)
    paused = node(pause, doubled)
    return pause, start, [doubled, paused, node(operator.add, doubled, paused)]


def interrupted(
    forward: Callable[[Argument], Result], pause: nn.Module, first: Argument, second: Argument
) -> tuple[Result, Result]:
    """Run `forward` for two callers, the second one while the first is in the pause layer."""
    layer: Any = pause
    stopped, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        stopped.set()
        go_on.wait(PATIENCE)

    layer.hold = hold
    with ThreadPoolExecutor(1) as threads:
        held = threads.submit(forward, first)
        held.add_done_callback(lambda _: stopped.set())  # it may fail before the pause
        try:
            stopped.wait(PATIENCE)
            result = forward(second)
        finally:
            layer.hold = None
            go_on.set()
        return held.result(), result
