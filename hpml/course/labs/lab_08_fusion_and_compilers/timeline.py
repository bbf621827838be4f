"""The lecture's two independent products in sequence, on threads, and on CUDA streams."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from hpml.base import accelerator, style
from hpml.base.charts import show, timeline
from hpml.base.page import Page

if TYPE_CHECKING:
    import torch


Span = tuple[str, float, float]
"""The name of a piece of work, its start and its end, in seconds."""


def _stamped(name: str, work: Callable[[], object]) -> Span:
    start = time.perf_counter()
    work()
    return name, start, time.perf_counter()


def in_sequence(works: Mapping[str, Callable[[], object]]) -> list[Span]:
    """Run the works one after the other."""
    return [_stamped(name, work) for name, work in works.items()]


def on_threads(works: Mapping[str, Callable[[], object]]) -> list[Span]:
    """Run each work on a separate thread; PyTorch releases Python's lock inside its operators."""
    import torch

    # The number of threads of an operator is a setting of the calling thread.
    with ThreadPoolExecutor(len(works), initializer=torch.set_num_threads, initargs=(1,)) as pool:
        return list(pool.map(_stamped, works, works.values()))


def median_round(
    ways: Mapping[str, Callable[[], list[Span]]], rounds: int = 15
) -> dict[str, list[Span]]:
    """Run the ways in interleaved rounds, and return the spans of the median round.

    It is the round with the median ratio of the last way's duration to the first one's, so that one
    disturbed run does not contradict the ratio of all rounds.
    """
    first, *_, last = ways
    found = [{name: run() for name, run in ways.items()} for _ in range(rounds + 2)][2:]
    found.sort(key=lambda spans: duration(spans[last]) / duration(spans[first]))
    return found[len(found) // 2]


def duration(spans: Sequence[Span]) -> float:
    """Return the seconds from the first start to the last end."""
    return max(end for _, _, end in spans) - min(start for _, start, _ in spans)


def streams_work() -> bool:
    """Return whether there is a GPU whose work `on_streams` can time by events."""
    kind = accelerator.kind()
    return kind is not None and accelerator.can("events", kind)


def on_streams(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> list[Span]:
    """Run the two products on two streams of a GPU, timed by its events."""
    import torch

    kind = accelerator.kind()
    x, y, z = (each.to(kind) for each in (x, y, z))
    streams = [(torch.Stream(kind), other) for other in (y, z)]
    for stream, other in streams:  # the first product on a stream allocates memory for it
        with stream:
            x @ other
    accelerator.synchronise()
    begin = torch.Event(kind, enable_timing=True)
    for _ in range(50):  # work during which the two products are launched
        x @ x
    begin.record()
    events = []
    for stream, other in streams:
        stream.wait_event(begin)
        first, last = (torch.Event(kind, enable_timing=True) for _ in range(2))
        with stream:
            first.record(stream)
            x @ other
            last.record(stream)
        events.append((first, last))
    accelerator.synchronise()
    return [
        (name, begin.elapsed_time(first) / 1e3, begin.elapsed_time(last) / 1e3)
        for name, (first, last) in zip(("x @ y", "x @ z"), events, strict=True)
    ]


def draw_spans(ways: Mapping[str, Sequence[Span]]) -> Page:
    """Draw when each piece of work ran, relative to the start of its variant."""
    rows, texts = {}, {}
    for variant, spans in ways.items():
        begin = min(start for _, start, _ in spans)
        for name, start, end in spans:
            start, end = 1e3 * (start - begin), 1e3 * (end - begin)
            rows[f"{variant}: {name}"] = [(start, end)]
            texts[f"{variant}: {name}"] = f"{start:.1f} to {end:.1f} ms"
    shades = {name: (style.DATA, style.SECOND)[place % 2] for place, name in enumerate(rows)}
    title, x = "When each product ran, in the median round", "ms since the first began"
    return show(timeline(rows, texts, shades, title=title, x=x))
