"""From a call on symbolic data to a node: the one place where nodes are made."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from . import interception, operators, symbolic_data, useful_layers
from .arguments import mentions, split_call
from .errors import ArgumentError
from .inference import infer, infer_parts
from .node import Node, TensorSpec, Unpacking, layer_name
from .symbolic_data import SymbolicCallable, SymbolicData, SymbolicTensor, handle_of


def add_to_graph(
    func: Callable[..., Any], *args: Any, custom_name: str | None = None, **kwds: Any
) -> Any:
    """Record a call of any function or module whose arguments mention symbolic data.

    Args:
        func: a function or a ``torch.nn.Module``.
        args: its positional arguments. Symbolic data may stand anywhere in them, also inside
            lists, tuples, dictionaries and slices; everything else is kept as it is.
        custom_name: a name for the layer in the model, instead of the name of ``func``.
        kwds: its named arguments, likewise.

    Returns:
        Symbolic data for the result.

    Raises:
        ArgumentError: ``func`` cannot be called, or no argument is symbolic.
        ShapeError: ``func`` does not accept the shapes of its arguments.

    >>> import torch
    >>> from hpml.symbolic import Input
    >>> x, y = Input(shape=(3, 2)), Input(shape=(5, 2))
    >>> add_to_graph(torch.concat, (x, y), dim=1).shape
    torch.Size([1, 8, 2])
    """
    if not callable(func):
        raise ArgumentError(
            f"add_to_graph expected a function or a module to call, received {func!r}: "
            "give the function first, then its arguments"
        )
    handles, template = split_call(args, kwds, SymbolicData)
    if not handles:
        raise ArgumentError(
            f"add_to_graph({name_of(func)}, …) expected symbolic data among the arguments, "
            "received none: call the function itself, or pass an Input"
        )
    if isinstance(func, nn.Module) and template.is_plain:
        layer: nn.Module = func
    else:
        layer = useful_layers.FunctionLayer(func, template, name_of(func))
    return apply(layer, tuple(h._node for h in handles), handles[0]._token, custom_name)


def name_of(function: Callable[..., Any]) -> str:
    """Return what a function or a module is called in graphs and summaries.

    >>> name_of(nn.functional.relu)
    'relu'
    """
    if isinstance(function, nn.Module):
        return layer_name(function)
    name = str(getattr(function, "__name__", type(function).__name__)).strip("_")
    return {"<lambda>": "lambda"}.get(name, name).replace(".", "_")


def apply(
    layer: nn.Module,
    parents: tuple[Node, ...],
    token: interception.Token,
    custom_name: str | None = None,
) -> Any:
    """Make a node for ``layer`` called on ``parents`` and return its handle."""
    if len(parents) == 1:
        parent = parents[0]
        depth, batch_known = parent.depth + 1, parent.batch_known
    else:
        depth = max(parent.depth for parent in parents) + 1
        batch_known = all(parent.batch_known for parent in parents)
    if custom_name is not None:
        _check_name(custom_name)
    spec = infer(layer, parents)
    node = Node(layer, parents, spec, batch_known, depth, custom_name, _origin())
    return SymbolicTensor(node, token) if type(spec) is TensorSpec else handle_of(node, token)


def unpack(handle: SymbolicData, count: int) -> tuple[Any, ...]:
    """Make ``count`` nodes for ``a, b, … = value``: one call with several results."""
    parent = handle._node
    layer = useful_layers.UnpackLayer()
    group = Unpacking(count)
    origin = _origin()
    handles = []
    for position, spec in enumerate(infer_parts(parent)):
        node = Node(layer, (parent,), spec, parent.batch_known, parent.depth + 1, None, origin)
        node.unpacking, node.position = group, position
        handles.append(handle_of(node, handle._token))
    return tuple(handles)


def record_call(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record ``layer(*args, **kwargs)`` if anything symbolic is among the arguments.

    Returns:
        Symbolic data for the result, or `interception.ORDINARY` for an ordinary call.
    """
    if len(args) == 1 and not kwargs and isinstance(args[0], SymbolicData):
        return apply(layer, (args[0]._node,), args[0]._token)
    if not mentions((args, kwargs), (SymbolicData,)):
        return interception.ORDINARY
    custom_name = kwargs.pop("custom_name", None)
    if not kwargs and all(isinstance(a, SymbolicData) for a in args):
        return apply(layer, tuple([a._node for a in args]), args[0]._token, custom_name)
    return add_to_graph(layer, *args, custom_name=custom_name, **kwargs)


def torch_function(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record a call of a function of torch; the other half of ``__torch_function__``."""
    if not interception.is_active():
        layer = _calling_module()
        if layer is not None:
            cause = (
                "optimize_module_calls()"
                if interception.is_suspended()
                else ("another library, which replaced torch.nn.Module.__call__")
            )
            raise ArgumentError(
                f"{layer_name(layer)} was called with symbolic data while layer(x) is switched "
                f"off by {cause}: write x(layer), or make a new Input, which switches it on again"
            )
    return add_to_graph(_FINDABLE.get(func, func), *args, **kwargs)


# Torch wraps this operator in a function that pickle cannot find by its name.
_FINDABLE: dict[Callable[..., Any], Callable[..., Any]] = {torch.Tensor.__pow__: operator.pow}


def _calling_module() -> nn.Module | None:
    """Return the module whose ``forward`` is running in a caller of this function, if any."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code is nn.Module._call_impl.__code__:
            module: nn.Module = frame.f_locals["self"]
            return module
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name or "." in name:
        raise ArgumentError(
            f"custom_name expected a name without a dot, received {name!r}: it becomes the name "
            "of a submodule"
        )


_NOT_THE_USERS = (__name__.rpartition(".")[0], "torch.")


def _origin() -> tuple[str, int] | None:
    """Return file and line of the statement outside this package that is running."""
    frame = sys._getframe(3)  # this function, its caller, and what called that are never the user's
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(_NOT_THE_USERS):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


interception.connect(
    {SymbolicData, SymbolicTensor, SymbolicCallable, list, tuple, dict, slice}, record_call
)
symbolic_data.connect(apply, add_to_graph, unpack, torch_function)
operators.install()
