"""What a graph is made of: plain nodes, and what is known about a value before it exists.

A node says "this value is that layer applied to those parents". It stores no activation. Parents
are held strongly, children weakly, so a value that nobody uses vanishes with its handle.
"""

from __future__ import annotations

import itertools
import operator
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.autograd import Function

_creation = itertools.count()
_LONGEST_TEXT = 400


class TensorSpec(NamedTuple):
    """What is known about a tensor that does not exist yet.

    Attributes:
        shape: the size of each dimension; an unknown batch size counts as it was declared (1).
        dtype: the element type.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype


class Concrete(NamedTuple):
    """A Python object that is not a tensor, kept as an example of the value.

    Attributes:
        value: the object: given to ``CustomInput``, or what a layer made of such an object.
        is_real: whether tensors inside it hold numbers; else they are meta tensors.
    """

    value: Any
    is_real: bool


class InputRange(NamedTuple):
    """The half-open range from which example data for an input is drawn."""

    minimum: float
    maximum: float


class Unpacking:
    """The results of unpacking one value: one call, several nodes."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count


class Node:
    """One value of a graph.

    Attributes:
        layer: the module that makes this value from its parents; ``None`` for an input.
        parents: the nodes whose values are the layer's arguments, in order.
        spec: what is known about the value.
        batch_known: whether the first dimension was given and is not a placeholder.
        depth: the longest path from an input, counted in layers.
        index: position in the order of creation, unique in the process.
        custom_name: the name the user gave to the layer, or ``None``.
        unpacking: set on nodes that are one of several results of one call.
        position: which of those results this node is.
        origin: file name and line of the statement that made the node.
        modes: which modes of torch were on where it was made.
        example: for an input, an example tensor, or the range from which one is drawn.
        changed: by hand another value stands here since then: what changed it, and its result.
    """

    __slots__ = (
        "__weakref__",
        "batch_known",
        "changed",
        "children",
        "custom_name",
        "depth",
        "example",
        "handle",
        "index",
        "layer",
        "modes",
        "origin",
        "parents",
        "position",
        "spec",
        "unpacking",
    )

    def __init__(
        self,
        layer: nn.Module | None,
        parents: tuple[Node, ...],
        spec: TensorSpec | Concrete,
        batch_known: bool,
        depth: int,
        custom_name: str | None = None,
        origin: tuple[str, int] | None = None,
        modes: int = 0,
    ) -> None:
        self.layer = layer
        self.parents = parents
        self.spec = spec
        self.batch_known = batch_known
        self.depth = depth
        self.custom_name = custom_name
        self.origin = origin
        self.index = next(_creation)
        self.handle: weakref.ref[Any] | None = None
        self.unpacking: Unpacking | None = None
        self.position = 0
        self.modes = modes
        self.example: InputRange | torch.Tensor | None = None
        self.changed: tuple[str, weakref.ref[Node] | None] | None = None
        # Nearly every node has one child. A list for each would double the garbage collector's
        # work in a large graph, so a list is made for the second child.
        self.children: weakref.ref[Node] | list[weakref.ref[Node]] | None = None
        if parents:
            reference = weakref.ref(self)
            for parent in parents:
                others = parent.children
                if others is None:
                    parent.children = reference
                elif isinstance(others, list):
                    others.append(reference)
                else:
                    parent.children = [others, reference]

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("__weakref__", "changed", "children", "handle")
        return {name: getattr(self, name) for name in self.__slots__ if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["layer"], state["parents"], state["spec"], True, 0)  # type: ignore[misc]
        for name, value in state.items():
            if name != "index":  # they are made in their order, oldest first
                setattr(self, name, value)

    def living_children(self) -> tuple[Node, ...]:
        """Return the children that are still used by somebody, each once, in creation order."""
        known = self.children
        references = known if isinstance(known, list) else [] if known is None else [known]
        living = {id(child): child for ref in references if (child := ref()) is not None}
        self.children = [weakref.ref(child) for child in living.values()]
        return tuple(living.values())

    def describe(self) -> str:
        """Return what a message calls this node: its layer, its shape and where it was made."""
        what = "input" if self.layer is None else layer_name(self.layer)
        place = "" if self.origin is None else f", made at {format_origin(self.origin)}"
        return f"{what} of {describe_spec(self.spec, self.batch_known)}{place}"


def oldest_first(node: Node) -> list[Node]:
    """Return a node behind everything that it is computed from: pickled in this order, flat."""
    found = {node}
    waiting = [node]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return sorted(found, key=operator.attrgetter("index"))


def layer_name(layer: nn.Module) -> str:
    """Return what a layer calls itself, such as ``Linear``.

    >>> layer_name(nn.Linear(4, 4))
    'Linear'
    """
    name: str = layer._get_name()  # type: ignore[no-untyped-call]
    return name


def layer_text(layer: nn.Module) -> str:
    """Return how a message shows a layer: its own text if that is short, else its name."""
    try:
        text = repr(layer)
    except Exception:  # noqa: BLE001 - a class may print itself in any way
        text = ""
    return text if 0 < len(text) <= _LONGEST_TEXT else type(layer).__name__


def name_of(function: Callable[..., Any]) -> str:
    """Return what a function or a module is called in graphs and summaries.

    >>> name_of(nn.functional.relu)
    'relu'
    """
    if isinstance(function, nn.Module):
        return layer_name(function)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, Function):  # every one of them is an `apply`
        return owner.__name__.strip("_")
    name = str(getattr(function, "__name__", type(function).__name__)).strip("_")
    return {"<lambda>": "lambda"}.get(name, name).replace(".", "_")


def format_origin(origin: tuple[str, int]) -> str:
    """Return ``file.py:12`` for the place where a node was made.

    >>> format_origin(("/course/notebooks/model.py", 12))
    'model.py:12'
    """
    name = origin[0].replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}:{origin[1]}"


def shape_text(shape: tuple[int, ...], batch_known: bool) -> str:
    """Return a shape as the summary prints it, an unknown batch size as ``None``.

    >>> shape_text((1, 28, 28), batch_known=False)
    '(None, 28, 28)'
    """
    if batch_known or not shape:
        return str(tuple(shape))
    return str((None, *shape[1:]))


def describe_spec(spec: TensorSpec | Concrete, batch_known: bool = True) -> str:
    """Return a value's shape and dtype, or the name of its type.

    >>> describe_spec(TensorSpec((1, 4), torch.float32), batch_known=False)
    'shape (None, 4), float32'
    """
    if isinstance(spec, TensorSpec):
        dtype = str(spec.dtype).removeprefix("torch.")
        return f"shape {shape_text(spec.shape, batch_known)}, {dtype}"
    return f"type {type(spec.value).__name__}"
