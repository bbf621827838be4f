"""From a call to a node: the one place where nodes are made."""

from __future__ import annotations

import keyword
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ArgumentError

from .arguments import Template, split_call
from .misuse import check_settings
from .node import Node, Unpacking, layer_name, name_of
from .inference import IN_PLACE, VIEW, given_spec, infer, infer_parts
from .tracing_checks import (
    check_constant,
    check_modes,
    modes,
    place_of_call,
    current,
    note_effects,
    warn_of_hidden_parameters,
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
    module = func if isinstance(func, nn.Module) else getattr(func, "__self__", None)
    if not isinstance(module, nn.Module):
        warn_of_hidden_parameters(func)
        layer = useful_layers.FunctionLayer(func, template, name_of(func), as_method)
        return layer, handles
    # The same call of a module made again is the same layer, as the module itself would be.
    known = _calls_of_modules.setdefault(module, weakref.WeakKeyDictionary())
    name = name_of(func)
    for layer, given in known.items():
        if layer.name == name and _is_same(given, template):
            return layer, handles
    layer = useful_layers.FunctionLayer(func, template, name)
    known[layer] = template
    return layer, handles


_calls_of_modules: weakref.WeakKeyDictionary[
    nn.Module, weakref.WeakKeyDictionary[useful_layers.FunctionLayer, Template]
]
_calls_of_modules = weakref.WeakKeyDictionary()


def _is_same(one: Template, other: Template) -> bool:
    """Return whether two calls have the same fixed arguments: the same objects, or plain values."""
    return one.text == other.text and all(
        a is b or (type(a) is type(b) and isinstance(a, (int, float, str)) and a == b)
        for a, b in zip(one.constants, other.constants, strict=True)
    )


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
    depth = 1 + (parents[0].depth if len(parents) == 1 else max(p.depth for p in parents))
    if custom_name is not None:
        _check_name(custom_name)
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


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ArgumentError(
            f"custom_name expected a name as of a variable, received {name!r}: it becomes the name "
            "of a submodule, without dots, spaces or line breaks"
        )
