"""From a call to a node: the one place where nodes are made, and what is refused there."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch
from torch import Tensor, is_grad_enabled, nn
from torch._C import _is_any_autocast_enabled
from torch._C._dynamo.eval_frame import get_eval_frame_callback

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ArgumentError

from .arguments import split_call
from .inference import given_spec, infer, infer_parts
from .node import IN_PLACE, VIEW, Change, Effects, Node, Unpacking, layer_name, name_of
from .operators import check_settings

_NOT_THE_STUDENTS = ("hpml.symbolic.", "torch.")


def place_of_call(depth: int) -> tuple[str, int] | None:
    """Return file and line of the student's statement."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if not (frame.f_globals.get("__name__") or "").startswith(_NOT_THE_STUDENTS):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def check_constant(tensor: Tensor) -> None:
    """Refuse a tensor that was computed from parameters: they would never be trained."""
    of_parameter = isinstance(tensor._base, nn.Parameter)
    if isinstance(tensor, nn.Parameter) or (tensor.grad_fn is None and not of_parameter):
        return
    raise ArgumentError(
        f"expected data or a parameter, received a tensor of shape {tuple(tensor.shape)} that was "
        "computed from a parameter while the graph is built: it would stay as it is now. Put the "
        "expression into the call, add_to_graph(lambda x, p: x + p[:5], x, p), or into the forward "
        "of a module; for a value that is meant to stay, give it .detach()"
    )


# --- changes in place -----------------------------------------------------------------------------


def current(node: Node) -> Node:
    """Return the node of what a tensor holds now, after operations in place on its memory.

    A tensor that was changed itself is the result of that change. A view that was made before is
    refused: a graph holds values, and no memory that several of them share.
    """
    changes = (node.base or node).change or []
    first = len(changes)
    while first and changes[first - 1].result.index > node.index:
        first -= 1
    for change in changes[first:]:
        if (node.same or node) is change.result.same:
            node = change.result
        elif not _are_apart(node.same or node, change.result.same):
            raise ArgumentError(
                f"{node.describe()}, expected to be read before {change.operation} changed memory "
                f"that it shares ({change.result.describe()}), received a use after that. Use the "
                "result of that operation, or leave out its inplace=True or +=, or change a copy, "
                "x.clone()"
            )
    return node


def _are_apart(node: Node, other: Node | None) -> bool:
    """Return whether two nodes are different parts of one unpacked value, as after ``chunk``."""
    if other is None or node.unpacking is None or node.unpacking is not other.unpacking:
        return False
    return node.position != other.position


def note_effects(node: Node, parent: Node, effects: Effects, operation: str) -> None:
    """Note that a node shares memory with its parent, or changed it in place."""
    base = parent.base or parent
    node.effects = effects
    if effects.shares:
        node.base = base
    if effects.itself:
        node.same = parent.same or parent
    if effects.changed:
        if base.change is None:
            base.change = []
        base.change.append(Change(operation, node))
        node.changes = base


# --- modes of torch -------------------------------------------------------------------------------

NO_GRAD, AUTOCAST = 1, 2


def modes() -> int:
    """Return which modes are on that change what a layer computes and that a graph does not hold.

    >>> import torch
    >>> with torch.no_grad():
    ...     modes() == NO_GRAD
    True
    """
    if is_grad_enabled() and not _is_any_autocast_enabled():
        return 0  # nearly always
    return (not is_grad_enabled()) + AUTOCAST * _is_any_autocast_enabled()


def check_modes(now: int, parents: Sequence[Node]) -> None:
    """Refuse ``torch.no_grad()`` or autocast around a part of a graph, which would be dropped."""
    if any(now & ~parent.modes for parent in parents):
        raise ArgumentError(
            "torch.no_grad() or torch.autocast around a part of a graph is not recorded, so that "
            "the model would compute otherwise there: expected calls outside of it; stop gradients "
            "with y.detach() behind that part, run the model under autocast, or put that part into "
            "the forward of a module"
        )


def call_layer(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwds: dict[str, Any],
    kind: type,
    as_method: bool = False,
) -> tuple[nn.Module, list[Any]]:
    """Return the layer that stands for a call, and the instances of ``kind`` in its arguments."""
    if not callable(func):
        raise ArgumentError(
            f"add_to_graph expected a function or a module to call, received {func!r}: "
            "give the function first, then its arguments"
        )
    if isinstance(func, type) and issubclass(func, nn.Module):
        raise ArgumentError(
            f"expected a layer to call, received the class {func.__name__}: make one of it first, "
            f"{func.__name__}(...)(x)"
        )
    handles, template = split_call(args, kwds, kind)
    if not handles:
        for value in args:
            check_settings(value)
        raise ArgumentError(
            f"add_to_graph({name_of(func)}, …) expected symbolic data among the arguments, "
            "received none: call the function itself, or pass an Input"
        )
    for constant in template.constants:
        if isinstance(constant, torch.Tensor):
            check_constant(constant)
    if isinstance(func, nn.Module) and template.is_plain:
        return func, handles
    return useful_layers.FunctionLayer(func, template, name_of(func), as_method), handles


def make_node(
    layer: nn.Module,
    parents: tuple[Node, ...],
    custom_name: str | None = None,
    output_shape: Any = None,
) -> Node:
    """Return a node for ``layer`` called on ``parents``; with ``output_shape`` nothing is run."""
    for parent in parents:
        if (parent.base or parent).change is not None:
            parents = tuple(map(current, parents))
            break
    if callable(get_eval_frame_callback()):
        raise ArgumentError(
            "expected a call that is recorded as a whole, received symbolic data in a function "
            "that torch.compile would take apart: write add_to_graph(function, x)"
        )
    depth = 1 + (parents[0].depth if len(parents) == 1 else max(p.depth for p in parents))
    if custom_name is not None:
        check_name("custom_name", custom_name)
    now = modes()
    if now:
        check_modes(now, parents)
    origin = place_of_call(4)
    effects = None
    try:
        if output_shape is None:
            spec, effects = infer(layer, parents)
        else:
            spec = given_spec(output_shape, parents)
            if layer.__dict__.get("inplace") is True:
                effects = IN_PLACE
    except ArgumentError:
        check_settings(layer)
        raise
    node = Node(layer, parents, spec, depth, custom_name, origin, now)
    if effects is not None:
        note_effects(node, parents[effects.argument], effects, layer_name(layer))
    return node


def make_parts(parent: Node) -> list[Node]:
    """Return the nodes for ``a, b, … = value``: one call with several results."""
    parent = current(parent)
    specs = infer_parts(parent)
    layer = useful_layers.UnpackLayer()
    group = Unpacking(len(specs))
    origin = place_of_call(2)
    nodes = []
    for position, spec in enumerate(specs):
        node = Node(layer, (parent,), spec, parent.depth + 1, None, origin)
        node.unpacking, node.position = group, position
        note_effects(node, parent, VIEW, "")
        nodes.append(node)
    return nodes


def check_name(what: str, name: Any) -> None:
    """Refuse a name that is not an identifier."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ArgumentError(
            f"{what} expected a name as of a variable, received {name!r}: it becomes the name of "
            "a submodule or an argument, without dots, spaces or line breaks"
        )
