"""Draw names, objects and references; count the bytes of many numbers by container."""

from __future__ import annotations

import array
import sys
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

from hpml.base.drawing import Look, dataflow, draw, lay_out
from hpml.base.page import Page, picture

_NUMBER = 8
"""Bytes of a C double or pointer."""


class Memory(NamedTuple):
    """The bytes of `n` numbers in a container, by purpose."""

    kind: str
    n: int
    parts: Mapping[str, int]

    @property
    def total(self) -> int:
        """All bytes."""
        return sum(self.parts.values())

    @property
    def per_number(self) -> float:
        """Bytes per number, including the container."""
        return self.total / self.n


def memory_of(n: int, kind: str) -> Memory:
    """Measure the bytes of `n` different floats, without the small C++ object of a tensor."""
    import numpy as np
    import torch

    if kind == "list":
        numbers = [float(number) for number in range(n)]
        numbers = list(numbers)  # a copy is not over-allocated, as a list that grew may be
        container, header = sys.getsizeof([]), sys.getsizeof(1.0) - _NUMBER
        pointers = sys.getsizeof(numbers) - container
        parts = {"container": container, "pointers": pointers, "headers": n * header}
    else:
        containers: dict[str, Any] = {
            "array": array.array("d", [0.0]) * n,
            "numpy": np.zeros(n),
            "tensor": torch.zeros(n, dtype=torch.float64),
        }
        outside = kind == "tensor"  # getsizeof includes the numbers of the others only
        parts = {"container": sys.getsizeof(containers[kind]) - (0 if outside else n * _NUMBER)}
    return Memory(kind, n, parts | {"numbers": n * _NUMBER})


def draw_objects(**names: object) -> Page:
    """Draw names and the lists, tuples, tensors and numbers that they refer to."""
    texts: dict[str, str] = {}
    tints: dict[str, str] = {}
    sources: dict[str, list[str]] = {}

    def box(key: str, text: str, tint: str, *after: str) -> str:
        texts[key], tints[key] = text, tint
        sources.setdefault(key, []).extend(after)
        return key

    for name, value in names.items():
        waiting: list[tuple[str, object]] = [(box(f"name {name}", name, "#FFFFFF"), value)]
        while waiting:
            source, each = waiting.pop(0)
            key = f"object {id(each)}"
            known = key in texts
            end = box(key, _object(each), "#C9E0F4", source)
            if known:
                continue
            for number, (text, tint) in enumerate(_outside(each)):
                end = box(f"{key} part {number}", text, tint, end)
            if isinstance(each, list | tuple):
                waiting += [(end, element) for element in each]
    flow = dataflow({key: sources[key] for key in TopologicalSorter(sources).static_order()})
    layout = lay_out(flow, lambda v: texts[flow.names[v]], lambda _: "", rotated=True)
    figure = draw(layout, Look(tints={v: tints[name] for v, name in enumerate(flow.names)}))
    name, value = next(iter(names.items()))
    count = len(sources[f"object {id(value)}"])
    text = f"Each arrow is a reference. {count} lead to the {type(value).__name__} {name}."
    lines = [
        f"{' '.join(texts[source].split())} → {' '.join(texts[key].split())}"
        for key, all_sources in sources.items()
        for source in all_sources
    ]
    return picture(figure, "\n".join([text, *lines]), f"<p>{text}</p>")


def _object(value: object) -> str:
    """Return the fields of an object and its size, as the text of a box."""
    content, size = repr(value), sys.getsizeof(value)
    if isinstance(value, list):
        content, size = f"length {len(value)}, address", sys.getsizeof([])
    elif isinstance(value, tuple):
        content = f"length {len(value)}, addresses"
    elif hasattr(value, "untyped_storage"):
        content = "address"
    return f"count, type: {type(value).__name__}\n{content}\n{size} bytes"


def _outside(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the pieces of memory outside an object, each referred to by the previous one."""
    if isinstance(value, list):
        yield f"{len(value)} addresses\n{8 * len(value)} bytes", "#FBE3D6"
    elif hasattr(value, "untyped_storage"):
        yield (
            f"C++ object\n{value.dtype}\nshape {list(value.shape)}".replace("torch.", ""),
            "#EFEFEF",
        )
        yield f"storage\n{value.tolist()}\n{value.untyped_storage().nbytes()} bytes", "#D5EBD8"
