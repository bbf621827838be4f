"""From a call to a node: the one place where nodes are made."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable
from typing import Any

from torch import nn

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ArgumentError

from .arguments import split_call
from .inference import infer, infer_parts
from .node import Node, Unpacking, name_of


def call_layer(
    func: Callable[..., Any], args: tuple[Any, ...], kwds: dict[str, Any], kind: type
) -> tuple[nn.Module, list[Any]]:
    """Return the layer that stands for a call, and the instances of ``kind`` among its arguments.

    Raises:
        ArgumentError: ``func`` cannot be called, or no argument is symbolic.
    """
    if not callable(func):
        raise ArgumentError(
            f"add_to_graph expected a function or a module to call, received {func!r}: "
            "give the function first, then its arguments"
        )
    handles, template = split_call(args, kwds, kind)
    if not handles:
        raise ArgumentError(
            f"add_to_graph({name_of(func)}, …) expected symbolic data among the arguments, "
            "received none: call the function itself, or pass an Input"
        )
    if isinstance(func, nn.Module) and template.is_plain:
        return func, handles
    return useful_layers.FunctionLayer(func, template, name_of(func)), handles


def make_node(layer: nn.Module, parents: tuple[Node, ...], custom_name: str | None = None) -> Node:
    """Return a node for ``layer`` called on ``parents``."""
    if len(parents) == 1:
        parent = parents[0]
        depth, batch_known = parent.depth + 1, parent.batch_known
    else:
        depth = max(parent.depth for parent in parents) + 1
        batch_known = all(parent.batch_known for parent in parents)
    if custom_name is not None:
        _check_name(custom_name)
    spec = infer(layer, parents)
    return Node(layer, parents, spec, batch_known, depth, custom_name, _origin())


def make_parts(parent: Node, count: int) -> list[Node]:
    """Return ``count`` nodes for ``a, b, … = value``: one call with several results."""
    layer = useful_layers.UnpackLayer()
    group = Unpacking(count)
    origin = _origin()
    nodes = []
    for position, spec in enumerate(infer_parts(parent)):
        node = Node(layer, (parent,), spec, parent.batch_known, parent.depth + 1, None, origin)
        node.unpacking, node.position = group, position
        nodes.append(node)
    return nodes


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ArgumentError(
            f"custom_name expected a name as of a variable, received {name!r}: it becomes the name "
            "of a submodule, without dots, spaces or line breaks"
        )


_NOT_THE_USERS = ("hpml.symbolic.", "torch.")


def _origin() -> tuple[str, int] | None:
    """Return file and line of the statement outside this package that is running."""
    frame = sys._getframe(3)  # this function, its caller, and what called that are never the user's
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(_NOT_THE_USERS):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None
