"""Run a copy of a layer to see what it returns, and leave nothing of that run behind.

The copy has the layer's attributes, at any depth, but no hooks and no numbers: its tensors are
*meta tensors*, which have a shape and no memory. So the layer itself is not touched, its helper
objects neither, and another thread may run it meanwhile. What a forward reaches outside of its
layer is undone where that can be done: attributes of its class, random generators, functions with
an ``lru_cache``. A value that is kept anywhere else is noticed, because it outlives the run.

Source: meta tensors, https://docs.pytorch.org/docs/stable/meta.html
"""

from __future__ import annotations

import contextlib
import copy
import gc
import random
import sys
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_module
from torch.overrides import TorchFunctionMode

from hpml.symbolic.errors import GraphError

from .preserved_state import preserved

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_MOST_COPIED = 10_000_000
_LEVELS = 3


def call_copy(
    layer: nn.Module, arguments: list[Any], *, meta: bool, gradients: bool = False
) -> Any:
    """Return what a copy of the layer returns; the arguments are emptied, for nobody to hold."""
    census = _Census(arguments)
    device = torch.device("meta") if meta else contextlib.nullcontext()
    recording = torch.enable_grad() if gradients else torch.no_grad()
    failure: Exception | None = None
    result = None
    with preserved_surroundings(layer):
        twin = _copied(layer, meta=meta)
        # What cannot be copied runs itself, and is put back.
        original = preserved(layer, meta=meta) if twin is None else contextlib.nullcontext()
        try:
            with original, recording, device, census if meta else contextlib.nullcontext():
                result = (layer if twin is None else twin)(*arguments)
                if meta and isinstance(result, Tensor):
                    result = meta_of(result)  # without its history
        except Exception as error:  # noqa: BLE001 - a layer may raise anything
            failure = error
            traceback.clear_frames(error.__traceback__)
    del twin
    arguments.clear()
    if meta and not gradients:
        try:
            census.check(layer, result)
        except GraphError:  # an error keeps what it is about
            if failure is None:
                raise
    if failure is not None:
        raise failure
    return result


# --- the copy -------------------------------------------------------------------------------------


def meta_of(tensor: Tensor) -> Tensor:
    """Return a meta tensor, or parameter, like another one."""
    empty = torch.empty_like(tensor, device="meta", requires_grad=False)
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(empty, requires_grad=tensor.requires_grad)
    return empty


class _MetaCopies(TorchFunctionMode):
    """While objects are copied: the copy of a tensor is a meta tensor."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func is Tensor.__deepcopy__:
            tensor, memo = args
            memo[id(tensor)] = meta_of(tensor)
            return memo[id(tensor)]
        if func is Tensor.clone:  # how a parameter copies itself
            return meta_of(args[0])
        return func(*args, **(kwargs or {}))


def _copied(layer: nn.Module, *, meta: bool) -> nn.Module | None:
    """Return a copy that runs without hooks; ``None`` where it cannot be copied."""
    memo: dict[int, Any] = {}
    if meta:
        for tensor in (*layer.parameters(), *layer.buffers()):
            memo[id(tensor)] = meta_of(tensor)
    elif sum(parameter.numel() for parameter in layer.parameters()) > _MOST_COPIED:
        return None
    try:
        with _MetaCopies() if meta else contextlib.nullcontext():
            twin: nn.Module = copy.deepcopy(layer, memo)
    except Exception:  # noqa: BLE001 - locks, files, generators, tensors with a history
        return None
    everywhere = torch_module._has_any_global_hook()  # type: ignore[no-untyped-call]
    for module in twin.modules():
        if everywhere or any(module.__dict__.get(name) for name in _HOOKS):
            # Where a compiled forward stands, torch calls it instead of all hooks.
            module.__dict__["_compiled_call_impl"] = module.forward
    return twin


# --- what lies outside of the layer ---------------------------------------------------------------


@contextmanager
def preserved_surroundings(layer: nn.Module) -> Iterator[None]:
    """Put the random generators, and the attributes of the layer's classes, back at the end."""
    kinds = {kind for module in layer.modules() for kind in type(module).__mro__}
    classes = [(kind, _content_of(kind)) for kind in kinds if _is_the_users(kind)]
    python_state = random.getstate()
    numpy_random = getattr(sys.modules.get("numpy"), "random", None)
    numpy_state = None if numpy_random is None else numpy_random.get_state()
    devices = sorted({p.device.index or 0 for p in layer.parameters() if p.is_cuda})
    with torch.random.fork_rng(devices=devices):
        try:
            yield
        finally:
            for kind, content in classes:
                _restore(kind, content)
            random.setstate(python_state)
            if numpy_random is not None:
                numpy_random.set_state(numpy_state)


def _is_the_users(kind: type) -> bool:
    return kind.__module__.partition(".")[0] not in ("torch", "builtins", "hpml")


_Content = dict[str, tuple[Any, Any]]


def _content_of(kind: type) -> _Content:
    return {
        name: (value, value.copy() if isinstance(value, (dict, list, set)) else None)
        for name, value in vars(kind).items()
        if not name.startswith("__")
    }


def _restore(kind: type, before: _Content) -> None:
    for name in [name for name in vars(kind) if not name.startswith("__") and name not in before]:
        delattr(kind, name)
    for name, (value, content) in before.items():
        if vars(kind).get(name) is not value:
            setattr(kind, name, value)
        if content is not None and value != content:
            value.clear()
            (value.extend if isinstance(value, list) else value.update)(content)


class _Census(TorchFunctionMode):
    """Which tensors were made while it was on, and which of them are still there."""

    def __init__(self, arguments: list[Any]) -> None:
        super().__init__()
        self.made = [weakref.ref(value) for value in arguments if isinstance(value, Tensor)]

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(value, Tensor) and value.is_meta:
                self.made.append(weakref.ref(value))
        return result

    def check(self, layer: nn.Module, result: Any) -> None:
        """Forget what functions with a cache remember; refuse what is kept elsewhere."""
        for forget in (lambda: None, gc.collect, lambda: _clear_caches(self._left(result))):
            forget()
            if not self._left(result):
                return
        raise GraphError(
            f"{type(layer).__name__} kept a tensor of the run in which its shape was found, "
            "outside of its own attributes, and that tensor has no numbers. Expected a forward "
            "that keeps nothing elsewhere; empty that place, and give the shape by hand: "
            "layer(x, output_shape=(None, ...))"
        )

    def _left(self, result: Any) -> list[Tensor]:
        alive = [tensor for reference in self.made if (tensor := reference()) is not None]
        if not alive:
            return []
        within = _reachable(result)
        return [tensor for tensor in alive if id(tensor) not in within]


def _reachable(result: Any, most: int = 10_000) -> set[int]:
    seen = {id(result)}
    waiting = [result]
    while waiting and len(seen) < most:
        whole = waiting.pop()
        base = whole._base if isinstance(whole, Tensor) else None
        for part in (*gc.get_referents(whole), base):
            if id(part) not in seen and not isinstance(part, (type, type(sys))):
                seen.add(id(part))
                waiting.append(part)
    return seen


def _clear_caches(tensors: list[Tensor]) -> None:
    """Empty the caches of functions that hold these tensors, alone or in containers."""
    held: list[Any] = list(tensors)
    for _ in range(_LEVELS):
        # Frames and the lists of this function hold them, too.
        holders = [h for h in gc.get_referrers(*held) if h is not held and h is not tensors]
        for holder in holders:
            clear: Callable[[], None] | None = getattr(type(holder), "cache_clear", None)
            if clear is not None:
                clear(holder)  # type: ignore[call-arg]
        held = [h for h in holders if isinstance(h, (tuple, list, dict))]
        if not held:
            return
