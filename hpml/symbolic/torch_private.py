"""Every private name of PyTorch that the model builder uses; each is looked up at its first use.

PyTorch may rename a private name in any release. So a name is not imported: the first access of
an attribute of this module looks it up and stores it. If the name is missing, the builder uses
public names instead, or raises `MissingNameError`, which says what does not work. Everything else
works.

>>> from hpml.symbolic import torch_private
>>> torch_private.is_any_autocast_enabled()
False
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from hpml.base.optional import look_up
from hpml.symbolic.errors import MissingNameError


class PrivateName(NamedTuple):
    """A private name of PyTorch, the feature that needs it, and what replaces it if missing."""

    place: str  # with all dots
    feature: str
    substitute: Callable[[], Any] | None = None  # makes the value if the name is missing
    changes: bool = False  # whether the value changes, so that a function returns it

    def value(self) -> Any:
        """Return the value; raise MissingNameError if it is missing and nothing replaces it."""
        try:
            found = look_up(self.place, self.feature, MissingNameError)
        except MissingNameError:
            if self.substitute is None:
                raise
            return self.substitute()
        if not self.changes:
            return found
        owner, _, name = self.place.rpartition(".")
        return functools.partial(getattr, look_up(owner, self.feature, MissingNameError), name)


def _any_autocast() -> Callable[[], bool]:
    devices = ("cpu", "cuda", "mps", "xpu")
    return lambda: any(map(torch.is_autocast_enabled, devices))


def _tree_leaves() -> Callable[[Any], list[Any]]:
    def tree_leaves(value: Any) -> list[Any]:
        if isinstance(value, dict):
            value = list(value.values())
        if not isinstance(value, (list, tuple)):
            return [value]
        return [leaf for part in value for leaf in tree_leaves(part)]

    return tree_leaves


NAMES: dict[str, PrivateName] = {
    "is_tracing": PrivateName(
        "torch._C._is_tracing",
        "calling the layers under torch.jit.trace",
        lambda: getattr(torch.jit, "is_tracing"),  # noqa: B009 - its stub does not name it
    ),
    "is_any_autocast_enabled": PrivateName(
        "torch._C._is_any_autocast_enabled",
        "refusing torch.autocast around a part of a graph",
        _any_autocast,
    ),
    "get_eval_frame_callback": PrivateName(
        "torch._C._dynamo.eval_frame.get_eval_frame_callback",
        "refusing to build a graph inside torch.compile",
        lambda: lambda: None,  # then only what torch.compiler.is_compiling() finds is refused
    ),
    "has_any_global_hook": PrivateName(
        "torch.nn.modules.module._has_any_global_hook",
        "inlining layers while no hook is registered for all modules",
        lambda: lambda: True,  # then the layers are called
    ),
    "global_forward_hooks": PrivateName(
        "torch.nn.modules.module._global_forward_hooks",
        "CUDA graphs that notice hooks for all modules",
    ),
    "global_forward_pre_hooks": PrivateName(
        "torch.nn.modules.module._global_forward_pre_hooks",
        "CUDA graphs that notice hooks for all modules",
    ),
    "functorch_level": PrivateName(
        "torch._C._functorch.peek_interpreter_stack",
        "execution='numba', which has to know whether a transform of torch.func runs",
    ),
    "function_modes": PrivateName(
        "torch._C._len_torch_function_stack",
        "execution='numba', which has to know whether a TorchFunctionMode is active",
    ),
    "dispatch_modes": PrivateName(
        "torch._C._len_torch_dispatch_stack",
        "execution='numba', which has to know whether a TorchDispatchMode is active",
    ),
    "forward_level": PrivateName(
        "torch.autograd.forward_ad._current_level",
        "execution='numba', which has to know whether forward-mode differentiation is active",
        changes=True,
    ),
    "TorchDispatchMode": PrivateName(
        "torch.utils._python_dispatch.TorchDispatchMode",
        "inferring the shape of a layer that needs example data; give output_shape=",
    ),
    "tree_leaves": PrivateName(
        "torch.utils._pytree.tree_leaves", "finding tensors in containers", _tree_leaves
    ),
    "make_wrapper_subclass": PrivateName(
        "torch.Tensor._make_wrapper_subclass",
        "a size that depends on the batch, x.shape[0]",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = NAMES[name].value()
    return value
