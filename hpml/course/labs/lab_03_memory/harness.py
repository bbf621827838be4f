"""The harness of lab 03: builds arguments (objects, arrays, networks), observes results."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from hpml.course.sandbox.allocations import peak_of
from hpml.course.sandbox.harness import called_through

_created: list[Any] = []
"""The objects of the last call, including those that were not passed to it."""


class Node:
    """An object that refers to up to three others and can be neither compared nor hashed."""

    __slots__ = ("first", "second", "third")
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("these objects cannot be compared with ==; use `is` or id()")


def objects(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return objects that refer to each other as in ``refers``, without the ``hidden`` ones."""
    sys.setrecursionlimit(1000)  # Python's own; another cell may have raised it
    types = {"list": list, "dict": dict, "node": Node}
    _created[:] = [types[kind]() for kind in data["kinds"]]
    for each, places in zip(_created, data["refers"], strict=True):
        others = [_created[place] for place in places]
        if isinstance(each, list):
            each += others
        elif isinstance(each, dict):
            each.update(enumerate(others))
        else:
            for name, other in zip(Node.__slots__, others, strict=False):
                setattr(each, name, other)
    hidden = set(data["hidden"])
    return {"objects": [each for place, each in enumerate(_created) if place not in hidden]}


def observed_cycle(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the numbers of the returned objects; -1 for an unknown object."""
    if type(result) not in (list, tuple):
        return {"cycle": f"a {type(result).__name__}"}
    places = {id(each): place for place, each in enumerate(_created)}
    return {"cycle": [places.get(id(each), -1) for each in result]}


def numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the argument: an array, of `length` numbers if it is long, or with gaps."""
    import numpy as np

    given = np.array(data["x"], dtype=np.float64)
    every = data.get("every", 1)
    place = np.zeros(every * data.get("length", len(given)))
    x = place[::every]
    x[:] = np.resize(given, len(x))
    return {"x": x}


def _traced(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Any, int]:
    """Return the result and, for a long array, the peak of Python's allocations, or else 0."""
    (x,) = arguments.values()  # the name of the parameter may vary
    if len(x) < 1000:
        return function(**arguments), 0
    # An uncounted call first, because it may import modules; a short array, so that it cannot keep
    # memory for the long one. Only the counted call is judged.
    with contextlib.suppress(Exception):
        function(**{name: value[:10].copy() for name, value in arguments.items()})
    return peak_of(function, arguments)


# An observer runs after the call and would miss memory that was freed again.
@called_through(_traced)
def in_place(traced: tuple[Any, int], arguments: Mapping[str, Any]) -> Any:
    """Return the start of the array, what is true of all of it, and the peak of new memory."""
    (result, peak), x = traced, arguments["x"]
    moments = [float(x.mean()), float((x * x).mean())]
    return {"x": x[:100], "moments": moments, "returned": result is x, "peak": peak}


def network(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a network and an input, as described in `data`."""
    import torch

    dtype = getattr(torch, data["dtype"])
    layers = []
    for name, *sizes in data["layers"]:
        kind = getattr(torch.nn, name)
        if sizes:
            inputs, outputs, trained = sizes
            with torch.random.fork_rng(devices=[]):  # keep the notebook's random state
                layer = kind(inputs, outputs, dtype=dtype).requires_grad_(trained)
        else:
            layer = kind()
        layers.append(layer)
    x = torch.zeros(data["shape"], dtype=dtype)
    return {"model": torch.nn.Sequential(*layers), "x": x}
