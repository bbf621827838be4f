"""The nodes of a graph, and specs: the shapes and types of values that are not computed yet.

A node stores its layer and its parents, and no activation. It refers to its children weakly, so an
unused node is freed together with its handle.
"""

from __future__ import annotations

import itertools
import operator
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.autograd import Function

_creation = itertools.count()

EXAMPLE_BATCHES = (
    4, 8,  # can be split into halves, quarters and pairs
    2,  # x[:3] has fewer rows than for 4 and 8; batch_norm in training accepts it, but not 1
    1,  # x[:2] has fewer rows
    5040,  # x[:100] and x have different shapes; has all divisors up to 10
)  # fmt: skip
"""The batch sizes for inferring shapes; a size that is not the same for all depends on the batch.

PyTorch's symbolic sizes (`FakeTensor` with a `ShapeEnv`) are no replacement: for ``x[:3]`` and
``x.split(3)`` they decide by one example, 3 rows or 2 parts, and leave a guard such as
``s0 >= 3``. Refusing all guards would refuse these programs, which work for every batch.
"""
REQUIRED_BATCHES = 2  # how many of them a layer has to accept
DATA_BATCHES = 4  # how many of them run with example data


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
        """The number of example batches for which the shape is known."""
        known = [len(size.examples) for size in self.shape if isinstance(size, Unknown)]
        return min(known, default=len(EXAMPLE_BATCHES))

    def at(self, example: int) -> tuple[int, ...]:
        """Return the shape for one of the example batches."""
        return tuple([s.examples[example] if isinstance(s, Unknown) else s for s in self.shape])


class Concrete(NamedTuple):
    """A Python object that is not a tensor, kept as an example of the value."""

    values: tuple[Any, ...]  # for each example batch, or a single one if it does not depend on it
    is_real: bool  # tensors inside of it have data; otherwise they are meta tensors

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
        """The number of example batches for which the object is known."""
        return len(self.values) if self.depends else len(EXAMPLE_BATCHES)

    def at(self, example: int) -> Any:
        """Return the object for one of the example batches."""
        return self.values[example if self.depends else 0]


Spec = TensorSpec | Concrete


class Effects(NamedTuple):
    """The effect of a call on the memory of one of its arguments."""

    argument: int
    shares: bool  # the result shares memory with the argument
    itself: bool  # the result is the same tensor object
    changed: bool  # the call changes the argument in place


IN_PLACE = Effects(0, shares=True, itself=True, changed=True)
ITSELF = Effects(0, shares=True, itself=True, changed=False)
VIEW = Effects(0, shares=True, itself=False, changed=False)


class Change(NamedTuple):
    """An operation in place on a tensor: its name, and the node of the tensor's new value."""

    operation: str
    result: Node


class Memory:
    """The memory of a tensor and of its views: the operations in place on it, in order."""

    __slots__ = ("changes",)

    def __init__(self) -> None:
        self.changes: list[Change] = []


class InputExample(NamedTuple):
    """The half-open range and the batch size of random example data for an input."""

    minimum: float = 0.0
    maximum: float = 1.0
    batch: int = 1


@dataclass(slots=True, weakref_slot=True, eq=False)
class Node:
    """One value of a graph.

    Three fields serve operations in place; without any one of them, programs of
    ``tests/symbolic/test_unknown_batch.py`` break. With ``left, right = y[:, :2], y[:, 2:]``:

    - `memory`: after ``y += 1`` a use of ``left`` is refused, because ``left`` has changed too;
    - `same`: after ``F.relu(y, inplace=True)`` a use of ``y`` means the result of relu;
    - `effects`: after ``left += 1`` a use of ``right`` is accepted, because the steps from ``y`` to
      both show that they have no element in common.
    """

    layer: nn.Module | None  # computes this value from its parents; None for an input
    parents: tuple[Node, ...]  # their values are the layer's arguments, in order
    spec: Spec
    depth: int = 0  # the longest path from an input, counted in layers
    custom_name: str | None = None
    origin: tuple[str, int] | None = None  # file and line of the statement that made the node
    modes: int = 0  # the modes of torch that were active
    example: InputExample | torch.Tensor | None = None  # of an input
    parts: int = 0  # how many nodes share this call, if it unpacks a value
    position: int = 0  # the position among those
    effects: Effects | None = None  # of the call on the memory of an argument
    memory: Memory | None = None  # of the value, if another one may share it or a call changed it
    same: Node | None = None  # the oldest node that is the same tensor object, as after relu_
    sizes_read: bool = False  # whether a size of it or of a descendant was read as a number
    # The tensors among the constants of the call, with their versions at that time.
    constants: Sequence[tuple[torch.Tensor, int]] = ()
    handle: weakref.ref[Any] | None = None
    # Most nodes have one child. A list for each node would double the garbage collector's work in
    # a large graph, so only a second child makes a list.
    children: weakref.ref[Node] | list[weakref.ref[Node]] | None = None
    index: int = field(default_factory=_creation.__next__)  # the order of creation

    def __post_init__(self) -> None:
        for parent in self.parents:
            reference = weakref.ref(self)
            if parent.children is None:
                parent.children = reference
            elif isinstance(parent.children, list):
                parent.children.append(reference)
            else:
                parent.children = [parent.children, reference]

    def note_size_read(self) -> None:
        """Mark this node and its ancestors as having a size that the program read as a number."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if not node.sizes_read:
                node.sizes_read = True
                waiting.extend(node.parents)

    def living_children(self) -> tuple[Node, ...]:
        """Return the children that are still alive, each once, in creation order."""
        stored = self.children
        references = stored if isinstance(stored, list) else [] if stored is None else [stored]
        living = {id(child): child for ref in references if (child := ref()) is not None}
        self.children = [weakref.ref(child) for child in living.values()]
        return tuple(living.values())

    def describe(self) -> str:
        """Return the layer, shape and origin of this node for a message."""
        name = "input" if self.layer is None else layer_name(self.layer)
        place = "" if self.origin is None else f", made at {format_origin(self.origin)}"
        return f"{name} of {describe_spec(self.spec)}{place}"


def oldest_first(nodes: Iterable[Node], above: frozenset[Node] = frozenset()) -> list[Node]:
    """Return the nodes and their ancestors in the order of creation, which is topological.

    The search stops at the nodes ``above``, which are left out.
    """
    found = set(nodes).difference(above)
    waiting = list(found)
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in found and parent not in above:
                found.add(parent)
                waiting.append(parent)
    return sorted(found, key=operator.attrgetter("index"))


def layer_name(layer: nn.Module) -> str:
    """Return the layer's own name for its type, such as ``Linear``."""
    name: str = layer._get_name()  # type: ignore[no-untyped-call]
    return name


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function or a module for graphs and summaries."""
    if isinstance(function, nn.Module):
        return layer_name(function)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, Function):  # all have the name `apply`
        return owner.__name__.strip("_")
    name = str(getattr(function, "__name__", type(function).__name__)).strip("_")
    return {"<lambda>": "lambda"}.get(name, name).replace(".", "_")


def format_origin(origin: tuple[str, int]) -> str:
    """Return ``model.py:12`` for the origin ``("/home/model.py", 12)``."""
    name = origin[0].replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}:{origin[1]}"


def describe_spec(spec: Spec) -> str:
    """Return a text such as ``shape (None, 4), float32``, or the name of the type."""
    if isinstance(spec, TensorSpec):
        return f"shape {spec.shape}, {str(spec.dtype).removeprefix('torch.')}"
    return f"type {type(spec.value).__name__}"
