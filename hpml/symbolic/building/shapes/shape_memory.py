"""Remember the shape of a result for as long as nothing changes that it stands on.

Two layers are alike if they have the same type, configuration and argument shapes. A type that the
user wrote changes all day in a notebook, so a shape is remembered together with its code, and the
code of the functions it calls, and what their closures and the globals that they name are.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

import torch
from torch import nn

from hpml.symbolic.building.arguments import children_of
from hpml.symbolic.building.node import Node, TensorSpec

_REMEMBER_AT_MOST = 4096
_MOST_WITNESSES = 2000

_remembered: OrderedDict[Hashable, tuple[TensorSpec, list[Any]]] = OrderedDict()


def recall(layer: nn.Module, parents: Sequence[Node]) -> TensorSpec | None:
    """Return the shape that a layer like this one gave, ``None`` if there was none."""
    key = _key(layer, parents)
    if key is None or key not in _remembered:
        return None
    spec, before = _remembered[key]
    now = _dependencies(layer)
    if now is None or len(now) != len(before) or not all(map(_is_same, before, now)):
        del _remembered[key]
        return None
    _remembered.move_to_end(key)
    return spec


def remember(layer: nn.Module, parents: Sequence[Node], spec: TensorSpec) -> None:
    """Remember the shape for layers like this one."""
    key, dependencies = _key(layer, parents), _dependencies(layer)
    if key is not None and dependencies is not None:
        _remembered[key] = spec, [_weakly(one) for one in dependencies]
        if len(_remembered) > _REMEMBER_AT_MOST:
            _remembered.popitem(last=False)


# --- what the code of a layer stands on -----------------------------------------------------------


def is_the_users(kind: type) -> bool:
    """Return whether a class may be written anew: whether it is none of torch or this package."""
    return kind.__module__.partition(".")[0] not in ("torch", "hpml", "builtins")


def _dependencies(layer: nn.Module) -> list[Any] | None:
    """Return the objects that decide what the layer's classes do; ``None`` if they are too many."""
    found: list[Any] = []
    waiting: list[FunctionType] = []
    for kind in dict.fromkeys(type(module) for module in layer.modules()):
        for base in kind.__mro__ if is_the_users(kind) else ():
            if is_the_users(base):
                found.append(base)
                for name, value in vars(base).items():
                    if name != "__dict__" and name != "__weakref__":
                        found.append(value)
                        waiting.extend(_functions_in(value))
    seen: set[FunctionType] = set()
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        found.append(function.__code__)
        found.extend(function.__defaults__ or ())
        values = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        values += [function.__globals__.get(name) for name in _names_in(function.__code__)]
        for value in values:
            found.append(value)
            waiting.extend(_functions_in(value))
        if len(found) > _MOST_WITNESSES:
            return None
    return found


def _functions_in(value: Any) -> Iterator[FunctionType]:
    parts = (value.fget, value.fset) if isinstance(value, property) else (value,)
    for part in parts:
        function = getattr(part, "__wrapped__", getattr(part, "__func__", part))
        if isinstance(function, FunctionType):
            module = function.__module__ or ""
            if module.partition(".")[0] not in ("torch", "hpml"):
                yield function


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _names_in(code: CodeType) -> list[str]:
    codes = [code]
    names: list[str] = []
    for current in codes:
        names += current.co_names
        codes += [value for value in current.co_consts if isinstance(value, CodeType)]
    return names


def _weakly(value: Any) -> Any:
    """Return a reference that keeps no class or function alive."""
    try:
        return weakref.ref(value)
    except TypeError:
        return value


def _is_same(before: Any, now: Any) -> bool:
    if isinstance(before, weakref.ref):
        return before() is now
    return before is now or (type(before) is type(now) and _is_scalar(now) and before == now)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (int, float, str, bytes, CodeType))


# --- what makes two layers alike ------------------------------------------------------------------


def _key(layer: nn.Module, parents: Sequence[Node]) -> Hashable | None:
    """Return what the result's shape depends on, or ``None`` where that cannot be told."""
    specs = []
    for parent in parents:
        if type(parent.spec) is not TensorSpec:
            return None
        specs.append((parent.spec, parent.batch_known))
    configuration = _configuration(layer)
    if configuration is None:
        return None
    return configuration, tuple(specs), torch.get_default_dtype()


_BOOKKEEPING = {"_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "_call"}


def _configuration(layer: nn.Module) -> Hashable | None:
    parts: list[Hashable] = []
    for name, module in layer.named_modules():
        kind = type(module)
        parts.append((name, id(kind) if is_the_users(kind) else kind))
        for key, value in module.__dict__.items():
            if key in _BOOKKEEPING or (isinstance(value, dict) and not value):
                continue
            content = _content(value)
            if content is None:
                return None
            parts.append((key, content))
        for key, tensor in (*module._parameters.items(), *module._buffers.items()):
            parts.append((key, None if tensor is None else (tuple(tensor.shape), tensor.dtype)))
    return tuple(parts)


_SCALARS = (
    *(int, float, complex, bool, str, bytes, type, type(None), type(...)),
    *(torch.dtype, torch.device, torch.layout, torch.memory_format),
)
LARGEST_CONTENT = 1000


def _content(value: Any) -> Hashable | None:
    """Return something that is equal for equal values and no others, or ``None``.

    Types are part of it: ``0``, ``0.0`` and ``False`` are equal to Python and not to a layer.
    """
    parts: list[Hashable] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple, slice)):
            inner = list(children_of(item) or ())
            parts.append((type(item), len(inner)))
            waiting.extend(inner)
        elif isinstance(item, type) and is_the_users(item):
            return None
        elif isinstance(item, _SCALARS) or _is_fixed_function(item):
            parts.append((type(item), item))
        else:
            return None
        if len(parts) > LARGEST_CONTENT:
            return None
    return tuple(parts)


def _is_fixed_function(value: Any) -> bool:
    """Return whether a value is a function of torch or of C, which does the same at each call."""
    kind = type(value).__name__
    if kind == "function":
        return (value.__module__ or "").split(".")[0] in {"torch", "_operator"}
    if kind == "builtin_function_or_method":  # a method of an object depends on that object
        return isinstance(value.__self__, (type(None), type, ModuleType))
    return kind in {"method_descriptor", "wrapper_descriptor"}
