"""What a strategy gives: something to run, its source, and where it failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NamedTuple

from torch import nn


class Program(NamedTuple):
    """A graph made ready to run.

    Attributes:
        run: ``run(model, *inputs)``, where ``model._execution_order_layers`` holds the layer of
            each call. Keeps its state in its own frame, so it can run twice at once.
        source: the Python source of what runs.
        failed_call: given a frame of a traceback and the line in it, the position of the call that
            failed there; ``None`` if the frame is none of this program's.
        reasons: given the layers as they are now, why each is called instead of written out;
            empty where it is written out.
        spans: for each line of the source the calls it makes, the first and one past the last;
            empty where the source is the same for every graph.
        infer: given the layers and a dtype, an inference object with a copy of their weights.
    """

    run: Callable[..., Any]
    source: str
    failed_call: Callable[[FrameType, int], int | None]
    reasons: Callable[[Sequence[nn.Module]], list[str]]
    spans: tuple[tuple[int, int], ...] = ()
    infer: Callable[[Sequence[nn.Module], Any], Any] | None = None


def always_called(execution: str) -> Callable[[Sequence[nn.Module]], list[str]]:
    """Return the ``reasons`` of an execution that calls every layer.

    >>> always_called("lazy")([nn.ReLU()])
    ["the execution 'lazy' calls every layer"]
    """

    def reasons(layers: Sequence[nn.Module]) -> list[str]:
        return [f"the execution {execution!r} calls every layer"] * len(layers)

    return reasons


def position_in(run: Callable[..., Any]) -> Callable[[FrameType, int], int | None]:
    """Return the ``failed_call`` of a program that keeps its place in a variable ``position``."""

    def failed_call(frame: FrameType, line: int) -> int | None:
        if frame.f_code is not run.__code__:
            return None
        position = frame.f_locals.get("position")
        return position if isinstance(position, int) else None

    return failed_call
