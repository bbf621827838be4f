"""What a strategy gives: something to run, its source, and where it failed."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple


class Program(NamedTuple):
    """A graph made ready to run.

    Attributes:
        run: ``run(model, *inputs)``, where ``model._execution_order_layers`` holds the layer of
            each call. Keeps its state in its own frame, so it can run twice at once.
        source: the Python source of what runs.
        failed_call: given a frame of ``run`` and a line, the position of the call it was in.
    """

    run: Callable[..., Any]
    source: str
    failed_call: Callable[[FrameType, int], int | None]
