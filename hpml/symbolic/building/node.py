"""What a graph is made of: plain nodes, and what is known about a value before it exists.

A node says "this value is that layer applied to those parents". It stores no activation. Parents
are held strongly, children weakly, so an unused value vanishes with its handle.
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


EXAMPLE_BATCHES = (4, 8, 240, 1)
"""The batch sizes with which shapes are inferred.

A size that is not the same for all of them depends on the batch. A layer has to accept the first
two: halves, quarters and pairs of a batch exist for both. The others show what those two hide, such
as ``x[:3]``, which has fewer rows for a smaller batch.
"""
REQUIRED_BATCHES = 2


class Unknown:
    """A size that depends on the batch; `examples` holds its value for each example batch."""

    __slots__ = ("examples",)

    def __init__(self, *examples: int) -> None:
        self.examples = examples

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown) and self.examples == other.examples

    def __hash__(self) -> int:
        return hash(self.examples)

    def __mul__(self, other: Any) -> Unknown:
        others = other.examples if isinstance(other, Unknown) else (other,) * len(self.examples)
        return Unknown(*map(operator.mul, self.examples, others))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return "None"


Size = int | Unknown
BATCH = Unknown(*EXAMPLE_BATCHES)


class TensorSpec(NamedTuple):
    """The size of each dimension of a tensor that does not exist yet, and its element type."""

    shape: tuple[Size, ...]
    dtype: torch.dtype

    @property
    def depends(self) -> bool:
        """Whether a size depends on the batch."""
        return not all(type(size) is int for size in self.shape)

    @property
    def examples(self) -> int:
        """For how many of the example batches the shape is known."""
        known = [len(size.examples) for size in self.shape if isinstance(size, Unknown)]
        return min(known, default=len(EXAMPLE_BATCHES))

    def at(self, example: int) -> tuple[int, ...]:
        """Return the shape for one of the example batches."""
        return tuple([s.examples[example] if isinstance(s, Unknown) else s for s in self.shape])


class Concrete(NamedTuple):
    """A Python object that is not a tensor, kept as an example of the value.

    Attributes:
        values: the object for each example batch; a single one where the batch does not matter.
        is_real: whether tensors inside it hold numbers; else they are meta tensors.
    """

    values: tuple[Any, ...]
    is_real: bool

    @property
    def value(self) -> Any:
        """The object, for the first example batch."""
        return self.values[0]

    @property
    def depends(self) -> bool:
        """Whether the object depends on the batch."""
        return len(self.values) > 1

    @property
    def examples(self) -> int:
        """For how many of the example batches the object is known."""
        return len(self.values) if self.depends else len(EXAMPLE_BATCHES)

    def at(self, example: int) -> Any:
        """Return the object for one of the example batches."""
        return self.values[example if self.depends else 0]


Spec = TensorSpec | Concrete


class Effects(NamedTuple):
    """What a call does to the memory of one of its arguments.

    Attributes:
        argument: which argument this is about.
        shares: whether the result shares memory with it.
        itself: whether the result is that very tensor.
        changed: whether its values are changed.
    """

    argument: int
    shares: bool
    itself: bool
    changed: bool


IN_PLACE = Effects(0, shares=True, itself=True, changed=True)
ITSELF = Effects(0, shares=True, itself=True, changed=False)
VIEW = Effects(0, shares=True, itself=False, changed=False)


class Change(NamedTuple):
    """An operation in place on a tensor: what it is called, and the node that the tensor is now."""

    operation: str
    result: Node


class InputExample(NamedTuple):
    """How example data for an input is drawn: the half-open range, and the size of the batch."""

    minimum: float = 0.0
    maximum: float = 1.0
    batch: int = 1


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
        depth: the longest path from an input, counted in layers.
        index: position in the order of creation, unique in the process.
        custom_name: the name the user gave to the layer, or ``None``.
        unpacking: set on nodes that are one of several results of one call.
        position: which of those results this node is.
        origin: file name and line of the statement that made the node.
        modes: which modes of torch were on where it was made.
        example: for an input, an example tensor, or how one is drawn.
        effects: what the call does to the memory of an argument, if anything.
        base: the oldest node whose memory this value may share; the node itself if it has its own.
        same: the oldest node that is the very same tensor object, as after ``relu_``.
        change: set on a base: the operations in place on this memory, oldest first.
        changes: the base whose memory the layer changes in place, or ``None``.
        sizes_read: whether a size of this value, or of one below it, was read as a number.
    """

    __slots__ = (
        "__weakref__",
        "base",
        "change",
        "changes",
        "children",
        "custom_name",
        "depth",
        "effects",
        "example",
        "handle",
        "index",
        "layer",
        "modes",
        "origin",
        "parents",
        "position",
        "same",
        "sizes_read",
        "spec",
        "unpacking",
    )

    def __init__(
        self,
        layer: nn.Module | None,
        parents: tuple[Node, ...],
        spec: Spec,
        depth: int,
        custom_name: str | None = None,
        origin: tuple[str, int] | None = None,
        modes: int = 0,
    ) -> None:
        self.layer = layer
        self.parents = parents
        self.spec = spec
        self.depth = depth
        self.custom_name = custom_name
        self.origin = origin
        self.index = next(_creation)
        self.handle: weakref.ref[Any] | None = None
        self.unpacking: Unpacking | None = None
        self.position = 0
        self.modes = modes
        self.example: InputExample | torch.Tensor | None = None
        self.effects: Effects | None = None
        self.base: Node | None = None
        self.same: Node | None = None
        self.change: list[Change] | None = None
        self.changes: Node | None = None
        self.sizes_read = False
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

    def note_size_read(self) -> None:
        """Note that a number in the user's program stands for a size here, and above."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if not node.sizes_read:
                node.sizes_read = True
                waiting.extend(node.parents)

    def living_children(self) -> tuple[Node, ...]:
        """Return the children that are still used, each once, in creation order."""
        known = self.children
        references = known if isinstance(known, list) else [] if known is None else [known]
        living = {id(child): child for ref in references if (child := ref()) is not None}
        self.children = [weakref.ref(child) for child in living.values()]
        return tuple(living.values())

    def describe(self) -> str:
        """Return what a message calls this node: its layer, its shape and where it was made."""
        what = "input" if self.layer is None else layer_name(self.layer)
        place = "" if self.origin is None else f", made at {format_origin(self.origin)}"
        return f"{what} of {describe_spec(self.spec)}{place}"


def oldest_first(*nodes: Node) -> list[Node]:
    """Return nodes and everything that they are computed from, in the order of creation."""
    found = set(nodes)
    waiting = list(nodes)
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


def describe_spec(spec: Spec) -> str:
    """Return a value's shape and dtype, or the name of its type.

    >>> describe_spec(TensorSpec((BATCH, 4), torch.float32))
    'shape (None, 4), float32'
    """
    if isinstance(spec, TensorSpec):
        return f"shape {spec.shape}, {str(spec.dtype).removeprefix('torch.')}"
    return f"type {type(spec.value).__name__}"
