"""The lecture's two independent products in sequence, on threads, and on CUDA streams."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from hpml.base import style
from hpml.base.charts import show, timeline
from hpml.base.page import Page

if TYPE_CHECKING:
    import torch


class Span(NamedTuple):
    """The start and end of a piece of work, in seconds."""

    name: str
    start: float
    end: float


def stamped(name: str, work: Callable[[], object]) -> Span:
    """Call `work` between two readings of the clock."""
    start = time.perf_counter()
    work()
    return Span(name, start, time.perf_counter())


def in_sequence(works: Mapping[str, Callable[[], object]]) -> list[Span]:
    """Run the works one after the other."""
    return [stamped(name, work) for name, work in works.items()]


def on_threads(works: Mapping[str, Callable[[], object]]) -> list[Span]:
    """Run each work on a separate thread; PyTorch releases Python's lock inside its operators."""
    import torch

    # The number of threads of an operator is a setting of the calling thread.
    with ThreadPoolExecutor(len(works), initializer=torch.set_num_threads, initargs=(1,)) as pool:
        return list(pool.map(stamped, works, works.values()))


def on_streams(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> list[Span]:
    """Run the two products on two CUDA streams, timed by CUDA events."""
    import torch

    x, y, z = (each.cuda() for each in (x, y, z))
    event: Any = torch.cuda.Event
    new_stream: Any = torch.cuda.Stream
    streams = [(new_stream(), other) for other in (y, z)]
    for stream, other in streams:  # the first product on a stream allocates memory for it
        with torch.cuda.stream(stream):
            x @ other
    torch.cuda.synchronize()
    begin = event(enable_timing=True)
    for _ in range(50):  # work during which the two products are launched
        x @ x
    begin.record()
    events = []
    for stream, other in streams:
        stream.wait_event(begin)
        first, last = (event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(stream):
            first.record(stream)
            x @ other
            last.record(stream)
        events.append((first, last))
    torch.cuda.synchronize()
    return [
        Span(name, *(begin.elapsed_time(stamp) / 1e3 for stamp in pair))
        for name, pair in zip(("x @ y", "x @ z"), events, strict=True)
    ]


def draw_spans(ways: Mapping[str, Sequence[Span]]) -> Page:
    """Draw when each piece of work ran, relative to the start of its variant."""
    rows, texts = {}, {}
    for variant, spans in ways.items():
        begin = min(span.start for span in spans)
        for span in spans:
            start, end = 1e3 * (span.start - begin), 1e3 * (span.end - begin)
            rows[f"{variant}: {span.name}"] = [(start, end)]
            texts[f"{variant}: {span.name}"] = f"{start:.1f} to {end:.1f} ms"
    shades = {name: (style.DATA, style.SECOND)[place % 2] for place, name in enumerate(rows)}
    title, x = "When each product ran", "ms since the first began"
    return show(timeline(rows, texts, shades, title=title, x=x))
