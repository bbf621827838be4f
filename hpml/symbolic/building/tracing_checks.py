"""What would be fixed for good by recording it, and is refused with what to write instead."""

from __future__ import annotations

import contextlib
import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from types import FrameType, FunctionType
from typing import Any

from torch import Tensor, is_grad_enabled, nn
from torch._C import _is_any_autocast_enabled

from hpml.symbolic.errors import ArgumentError, GraphWarning

from .arguments import find
from .inference import Effects
from .interception import Handle
from .node import Change, Node, name_of

_NOT_THE_USERS = ("hpml.symbolic.", "torch.")
_FRAMES_LOOKED_AT = range(8)


def user_frame(depth: int) -> FrameType | None:
    """Return the frame of the statement outside this package that is running.

    The first ``depth`` frames above are never the user's.
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if not (frame.f_globals.get("__name__") or "").startswith(_NOT_THE_USERS):
            return frame
        frame = frame.f_back
    return None


# --- methods of modules ---------------------------------------------------------------------------


def place_of_call(depth: int) -> tuple[str, int] | None:
    """Return file and line of the user's statement; refuse a method that would be traced.

    A method of a module that reads ``self.training`` may not, while its calls are recorded. One
    that builds a graph for its own module may: it was not given the symbolic data.
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if not (frame.f_globals.get("__name__") or "").startswith(_NOT_THE_USERS):
            break
        frame = frame.f_back
    else:
        return None
    place = frame.f_code.co_filename, frame.f_lineno
    for _ in _FRAMES_LOOKED_AT:
        code = frame.f_code
        if code.co_argcount > 1:
            if "training" in code.co_names:
                _check_traced(frame)
        elif code.co_name == "<module>":
            break
        elif code.co_name == "compile_wrapper" and code.co_filename.endswith("eval_frame.py"):
            raise ArgumentError(
                "a function that torch.compile compiled was called with symbolic data, which it "
                "would take apart, to be compiled no longer. Expected a call that is recorded as "
                "a whole: write add_to_graph(function, x)"
            )
        if (frame := frame.f_back) is None:
            break
    return place


def _check_traced(frame: FrameType) -> None:
    owner = _module_given_handles(frame)
    outer: FrameType | None = frame.f_back
    while owner is not None and outer is not None:
        if _own_arguments(outer)[:1] == [owner] and _module_given_handles(outer) is None:
            return
        outer = outer.f_back
    if owner is not None:
        name = frame.f_code.co_name
        raise ArgumentError(
            f"{type(owner).__name__}.{name} reads self.training while symbolic data passes "
            "through it: whether it trains would be fixed for good. Expected a call that "
            f"is recorded as a whole: write add_to_graph(module.{name}, x), or put it into "
            "the forward of a module"
        )


def _own_arguments(frame: FrameType) -> list[Any]:
    code = frame.f_code
    return [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]


def _module_given_handles(frame: FrameType) -> nn.Module | None:
    arguments = _own_arguments(frame)
    if not arguments or not isinstance(arguments[0], nn.Module):
        return None
    return None if find(arguments[1:], (Handle,)) is None else arguments[0]


# --- tensors computed from parameters -------------------------------------------------------------


def check_constant(tensor: Tensor) -> None:
    """Refuse a tensor that was computed from parameters: they would never be trained."""
    if isinstance(tensor, nn.Parameter) or (tensor.grad_fn is None and tensor._base is None):
        return
    leaves = _leaves_of(tensor)
    if tensor._base is not None and isinstance(tensor._base, nn.Parameter):
        leaves.append(tensor._base)
    if not leaves:
        return
    frame = user_frame(2)
    names = {"" if frame is None else _name_in(frame, leaf): leaf for leaf in leaves}
    known = [name for name in names if name]
    what = " and ".join(known) or f"a parameter of shape {tuple(leaves[0].shape)}"
    argument = known[0] if known else "p"
    raise ArgumentError(
        f"a tensor of shape {tuple(tensor.shape)} was computed from {what} while the graph is "
        "built: it would stay as it is now and train nothing. Expected the parameter itself; put "
        f"the expression into the call, add_to_graph(lambda x, p: x + p[:5], x, {argument}), or "
        "into the forward of a module; for a value that is meant to stay, give it .detach()"
    )


def _leaves_of(tensor: Tensor) -> list[Tensor]:
    leaves: dict[int, Tensor] = {}
    waiting = [tensor.grad_fn]
    seen = set(waiting)
    while waiting:
        function = waiting.pop()
        if function is None:
            continue
        variable = getattr(function, "variable", None)
        if variable is not None:
            leaves[id(variable)] = variable
        for following, _ in function.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return list(leaves.values())


def _name_in(frame: FrameType, leaf: Tensor) -> str:
    """Return what the statement's function calls a parameter; empty if it cannot be told."""
    for scope in (frame.f_locals, frame.f_globals):
        for name, value in list(scope.items()):
            if value is leaf:
                return name
            if isinstance(value, nn.Module):
                for path, parameter in value.named_parameters():
                    if parameter is leaf:
                        return f"{name}.{path}"
    return ""


def warn_of_hidden_parameters(function: Callable[..., Any]) -> None:
    """Warn of a function that uses parameters which are not among its arguments."""
    if isinstance(function, functools.partial):
        given = (*function.args, *function.keywords.values())
        used = {f"its fixed argument {i}": value for i, value in enumerate(given)}
    elif isinstance(function, FunctionType) and not (function.__module__ or "").startswith("torch"):
        names = function.__code__.co_names
        used = {name: function.__globals__.get(name) for name in names}
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            with contextlib.suppress(ValueError):  # nothing in it yet
                used[name] = cell.cell_contents
    else:
        return
    for name, value in used.items():
        owned = value.parameters() if isinstance(value, nn.Module) else [value]
        if any(isinstance(p, nn.Parameter) and p.requires_grad for p in owned):
            _warn(
                f"{name_of(function)} uses the parameters of {name}, which the graph does not see: "
                "the model will not own them, neither in parameters() nor in its copies; give it "
                "as an argument, add_to_graph(lambda x, layer: layer(x), x, layer)"
            )


# --- changes in place -----------------------------------------------------------------------------


def current(node: Node) -> Node:
    """Return the node of what a tensor holds now, after operations in place on its memory.

    A tensor that was changed itself is the result of that change. A view that was made before is
    refused: a graph holds values, and no memory that several of them share.
    """
    base = node.base or node
    change = base.change
    if change is None or node.index >= change.result.index:
        return node
    if (node.same or node) is change.result.same:
        return change.result
    raise ArgumentError(
        f"{node.describe()}, expected to be read before {change.operation} changed memory that "
        f"it shares ({change.result.describe()}), received a use after that. Use the result of "
        "that operation, or leave out its inplace=True or +=, or change a copy, x.clone()"
    )


def note_effects(node: Node, parent: Node, effects: Effects, operation: str) -> None:
    """Note that a node shares memory with its parent, or changed it in place."""
    base = parent.base or parent
    if effects.shares:
        node.base = base
    if effects.itself:
        node.same = parent.same or parent
    if effects.changed:
        base.change = Change(operation, node)
        node.changes = base


def _warn(message: str) -> None:
    frame = user_frame(3)
    assert frame is not None  # the statement that is running
    warnings.warn_explicit(message, GraphWarning, frame.f_code.co_filename, frame.f_lineno)


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
    new = {mode for mode in (NO_GRAD, AUTOCAST) for p in parents if now & mode & ~p.modes}
    if AUTOCAST in new:
        raise ArgumentError(
            "torch.autocast around a part of a graph is not recorded, so that the model would "
            "compute in full precision there: expected calls outside of it; run the model under "
            "autocast, or put that part into the forward of a module"
        )
    if NO_GRAD in new:
        raise ArgumentError(
            "torch.no_grad() around a part of a graph is not recorded, so that gradients would "
            "flow there: expected calls outside of it; stop gradients with y.detach() behind that "
            "part, or put it into the forward of a module"
        )
