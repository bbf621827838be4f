"""What the exercises of lab 03 are called with, and what is observed: objects, bytes, networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hpml.sandbox.allocations import peak_of

_things: list[Any] = []
"""The objects of the last call, also those that were not handed over."""


class Node:
    """An object that refers to up to three others, and cannot be compared or put into a set."""

    __slots__ = ("first", "second", "third")
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("these objects cannot be compared with ==; use `is` or id()")

    def __repr__(self) -> str:
        return "<a node>"


def objects(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return objects that refer to those at the places in ``refers``, without the ``hidden``."""
    made = {"list": list, "dict": dict, "node": Node}
    _things[:] = [made[kind]() for kind in data["kinds"]]
    for thing, places in zip(_things, data["refers"], strict=True):
        others = [_things[place] for place in places]
        if isinstance(thing, list):
            thing += others
        elif isinstance(thing, dict):
            thing.update(enumerate(others))
        else:
            for name, other in zip(Node.__slots__, others, strict=False):
                setattr(thing, name, other)
    hidden = set(data["hidden"])
    return {"objects": [each for place, each in enumerate(_things) if place not in hidden]}


def observed_cycle(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return which objects were returned, by place; -1 stands for a stranger."""
    if type(result) not in (list, tuple):
        return {"result": type(result).__name__}
    places = {id(thing): place for place, thing in enumerate(_things)}
    return {"cycle": [places.get(id(each), -1) for each in result]}


def numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an array of floats: those in `data`, again and again up to its length."""
    import numpy as np

    return {
        "x": np.resize(np.array(data["x"], dtype=np.float64), data.get("length", len(data["x"])))
    }


def in_place(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return what became of the array, whether it was returned, and the peak where it is judged."""
    x = arguments["x"]
    return {"x": x[:100], "returned": result is x, "peak": _peak[0]}


_peak = [0]


def _traced(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function, with a long array while Python's allocations are counted."""
    _peak[0] = 0
    (x,) = arguments.values()  # under the student's name for it
    if len(x) < 1000:
        return function(**arguments)
    # The first call may import things.
    function(**{name: value.copy() for name, value in arguments.items()})
    result, _peak[0] = peak_of(function, arguments)
    return result


# Observing alone comes too late: memory that was freed again would not be seen.
in_place.through = _traced  # type: ignore[attr-defined]


def network(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a network and an input; a linear layer has its sizes and whether it is trained."""
    import torch

    dtype = getattr(torch, data["dtype"])
    layers = []
    for name, *sizes in data["layers"]:
        kind = getattr(torch.nn, name)
        if sizes:
            inputs, outputs, trained = sizes
            with torch.random.fork_rng(devices=[]):  # the notebook's random numbers stay its own
                layer = kind(inputs, outputs, dtype=dtype).requires_grad_(trained)
        else:
            layer = kind()
        layers.append(layer)
    x = torch.zeros(data["shape"], dtype=dtype)
    return {"model": torch.nn.Sequential(*layers), "x": x}
