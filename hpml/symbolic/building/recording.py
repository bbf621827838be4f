"""Make a node for each call, and refuse calls that a graph cannot represent."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch
from torch import Tensor, is_grad_enabled, nn

from hpml.base.errors import describe
from hpml.symbolic import torch_private, useful_layers
from hpml.symbolic.errors import ArgumentError
from hpml.symbolic.useful_layers import FunctionLayer

from .arguments import settled, split_call
from .inference import declared_spec, infer, infer_parts, is_stateless_function
from .memory import are_apart
from .node import IN_PLACE, VIEW, Change, Concrete, Effects, Memory, Node, layer_name, name_of
from .operators import check_settings

_LIBRARIES = ("hpml.symbolic.", "torch.")
_SELECTING = useful_layers.SliceLayer, useful_layers.GetAttr


def call_site(depth: int) -> tuple[str, int] | None:
    """Return file and line of the innermost statement outside of this package and torch."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if not (frame.f_globals.get("__name__") or "").startswith(_LIBRARIES):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def check_constant(tensor: Tensor) -> None:
    """Refuse a tensor that was computed from parameters, which would never be trained."""
    views_parameter = isinstance(tensor._base, nn.Parameter)
    if isinstance(tensor, nn.Parameter) or (tensor.grad_fn is None and not views_parameter):
        return
    raise ArgumentError(
        object="constant tensor",
        expected="data or a parameter",
        received=f"one of shape {tuple(tensor.shape)} that was computed from a parameter while the "
        "graph is built, and would never change",
        remedy="Put the expression into the call, add_to_graph(lambda x, p: x + p[:5], x, p), or "
        "into the forward of a module; if it is meant to be a constant, pass tensor.detach().",
    )


def check_unchanged(nodes: Sequence[Node], layers: Sequence[nn.Module]) -> None:
    """Refuse a constant that was changed in place after a call used it: the call would differ.

    Buffers of the model's layers may change, as parameters may.
    """
    changed = [
        (node, tensor)
        for node in nodes
        for tensor, version in node.constants
        if tensor._version != version
    ]
    parts = [part for layer in layers if changed for part in layer.modules()]
    buffers = [b for p in parts if type(p) is not FunctionLayer for b in p._buffers.values()]
    for node, tensor in changed:
        if not any(tensor is buffer for buffer in buffers):
            raise ArgumentError(
                object="constant tensor",
                expected=f"the values that it had at the call of {node.describe()}",
                received=f"one of shape {tuple(tensor.shape)} that was changed in place afterwards",
                remedy="Pass a copy to the call, mask.clone(), or make the model before the "
                "change.",
            )


# --- changes in place -----------------------------------------------------------------------------


def current(node: Node, since: Node | None = None) -> Node:
    """Return the node of a tensor's current value, after operations in place on its memory.

    Args:
        since: the node whose memory it has, if that is older than the node.

    Raises:
        ArgumentError: the node is a view of memory that was changed after the view was made.
    """
    changes = [] if node.memory is None else node.memory.changes
    first = len(changes)
    while first and changes[first - 1].result.index > (since or node).index:
        first -= 1
    apart: set[Node] = set()
    for change in changes[first:]:
        changed = change.result.same or change.result
        if (node.same or node) is changed:
            node = change.result
        elif changed not in apart:
            if not are_apart(node.same or node, changed):
                raise ArgumentError(
                    object="use of a value",
                    expected=f"one before {change.operation} changed memory that it shares "
                    f"({change.result.describe()})",
                    received=f"a later use of the {node.describe()}",
                    remedy="Use the result of that operation, or leave out its inplace=True or +=, "
                    "or change a copy, x.clone().",
                )
            apart.add(changed)
    return node


def note_effects(node: Node, parent: Node, effects: Effects, operation: str) -> None:
    """Record that a node shares memory with its parent or changed it in place."""
    memory = parent.memory = parent.memory or Memory()
    node.effects = effects
    if effects.shares:
        node.memory = memory
    if effects.itself:
        node.same = parent.same or parent
    if effects.changed:
        memory.changes.append(Change(operation, node))


# --- modes of torch -------------------------------------------------------------------------------


def modes() -> int:
    """Return the modes of torch that change a computation but no graph: 1 no_grad, 2 autocast."""
    if is_grad_enabled() and not torch_private.is_any_autocast_enabled():
        return 0  # the common case
    return (not is_grad_enabled()) + 2 * bool(torch_private.is_any_autocast_enabled())


def check_modes(now: int, parents: Sequence[Node]) -> None:
    """Refuse ``torch.no_grad()`` or autocast around a part of a graph, which would be lost."""
    if any(now & ~parent.modes for parent in parents):
        gradients_off = any(now & 1 & ~parent.modes for parent in parents)
        mode = "torch.no_grad() or torch.inference_mode()" if gradients_off else "torch.autocast"
        instead = (
            "Stop gradients with y.detach() after that part"
            if gradients_off
            else "Run the model under autocast"
        )
        raise ArgumentError(
            f"{mode} around a part of a graph is not recorded, so the model would compute "
            "something else there.",
            object=mode,
            expected="calls outside of it",
            received="a part of a graph inside",
            remedy=f"{instead}, or put that part into the forward of a module.",
        )


def call_layer(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwds: dict[str, Any],
    kind: type,
    as_method: bool = False,
) -> tuple[nn.Module, list[Any]]:
    """Return the layer that represents a call, and the instances of ``kind`` in its arguments."""
    if isinstance(func, type) and issubclass(func, nn.Module):
        raise ArgumentError(
            object="layer",
            expected="an instance to call",
            received=f"the class {func.__name__}",
            remedy=f"Make an instance first, {func.__name__}(...)(x).",
        )
    handles, template = split_call(args, kwds, kind)
    if not handles:
        for value in args:
            check_settings(value)
        raise ArgumentError(
            object=f"add_to_graph({name_of(func)}, …)",
            expected="symbolic data among the arguments",
            received="none",
            remedy="Call the function itself, or pass an Input.",
        )
    for constant in template.constants:
        if isinstance(constant, torch.Tensor):
            check_constant(constant)
    if is_stateless_function(func):  # a function of the user may share an object with the program
        template = template._replace(constants=settled(template.constants))
    if isinstance(func, nn.Module) and template.is_plain:
        return func, handles
    return FunctionLayer(func, template, name_of(func), as_method), handles


def check_not_compiled() -> None:
    """Refuse to build a graph in a function that torch.compile compiles."""
    if torch.compiler.is_compiling() or callable(torch_private.get_eval_frame_callback()):
        raise ArgumentError(
            object="graph",
            expected="symbolic data outside of torch.compile only",
            received="symbolic data in a compiled function",
            remedy="Build the model first and compile it, torch.compile(model); to record a "
            "compiled function, write add_to_graph(function, x).",
        )


def make_node(
    layer: nn.Module,
    parents: tuple[Node, ...],
    custom_name: str | None = None,
    output_shape: Any = None,
) -> Node:
    """Return a node for ``layer`` called on ``parents``; with ``output_shape`` nothing runs."""
    selects = type(layer) in _SELECTING and isinstance(parents[0].spec, Concrete)
    for parent in parents:
        if parent.memory is not None and parent.memory.changes and not selects:
            parents = tuple(map(current, parents))
            break
    if callable(torch_private.get_eval_frame_callback()):
        check_not_compiled()
    depth = 1 + (parents[0].depth if len(parents) == 1 else max(p.depth for p in parents))
    if custom_name is not None:
        for part in str(custom_name).split("."):  # "encoder.block" is a module in a module
            check_name("custom_name", part if isinstance(custom_name, str) else custom_name)
    now = modes()
    if now:
        check_modes(now, parents)
    origin = call_site(4)
    effects = None
    try:
        if output_shape is None:
            spec, effects = infer(layer, parents)
        else:
            spec = declared_spec(output_shape, parents)
            if layer.__dict__.get("inplace") is True:
                effects = IN_PLACE
    except ArgumentError:
        check_settings(layer)
        raise
    node = Node(layer, parents, spec, depth, custom_name, origin, now)
    if type(layer) is FunctionLayer and layer._buffers:
        tensors: Any = layer._buffers.values()
        node.constants = [(t, t._version) for t in tensors if not t.is_inference()]
    if effects is not None:
        note_effects(node, parents[effects.argument], effects, layer_name(layer))
        if selects:  # an item of a container, of which other items may have been changed
            current(node, since=parents[0])
    return node


def make_parts(parent: Node) -> list[Node]:
    """Return the nodes for ``a, b, … = value``: one call with several results."""
    parent = current(parent)
    specs = infer_parts(parent)
    layer = useful_layers.UnpackLayer()
    origin = call_site(2)
    nodes = []
    for position, spec in enumerate(specs):
        node = Node(layer, (parent,), spec, parent.depth + 1, None, origin)
        node.parts, node.position = len(specs), position
        note_effects(node, parent, VIEW, "")
        nodes.append(node)
    return nodes


def check_name(what: str, name: Any) -> None:
    """Refuse a name that is not an identifier."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ArgumentError(
            object=what,
            expected="a valid variable name, which becomes the name of a submodule or an argument",
            received=describe(name),
            remedy="Choose a name of letters, digits and underscores that is no keyword.",
        )
