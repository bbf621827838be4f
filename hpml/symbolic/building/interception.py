"""Replace ``torch.nn.Module.__call__`` while symbolic data is alive, so ``layer(x)`` is recorded.

Every handle refers to the same *token*; the original method is restored when the last handle and
with it the token is freed. Models refer to nodes and to no handles, so they keep nothing replaced.

For speed, the replacement tests in C whether an argument has a ``__torch_function__``, as handles
do, and contains the code of ``Module._wrapped_call_impl``, which saves a Python frame.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.utils._device import _device_constructors

from hpml.base import module_calls
from hpml.symbolic.errors import ArgumentError

from .arguments import ATOMS, children_of, find

_lock = threading.RLock()
_token: weakref.ref[Token] | None = None
_suspended = False

NOT_SYMBOLIC = object()
"""The result of recording a call without symbolic arguments."""


class Token:
    """An object that all handles share; when it is freed, the interception is removed."""

    __slots__ = ("__weakref__",)


class Handle:
    """The base class of symbolic data: records the calls in which it is an argument."""

    __slots__ = ()

    def _record_call(self, layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _record_function_call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        raise NotImplementedError


def handle_token(*, resume: bool = False) -> Token:
    """Return the token for a new handle, and install the interception if necessary."""
    global _token, _suspended
    with _lock:
        token = None if _token is None else _token()
        if token is None:
            token = Token()
            _token = weakref.ref(token, _last_handle_gone)
        _suspended = _suspended and not resume
        if not _suspended:
            _install()
        return token


def suspend() -> None:
    """Restore the original ``Module.__call__`` until the next input is made."""
    global _suspended
    with _lock:
        _suspended = True
        _uninstall()


@contextlib.contextmanager
def suspended() -> Iterator[None]:
    """Restore the original ``Module.__call__`` inside the ``with``, as for measurements."""
    global _suspended
    before = _suspended
    suspend()
    try:
        yield
    finally:
        with _lock:
            _suspended = before
            if not before and _token is not None and _token() is not None:
                _install()


def is_active() -> bool:
    """Return whether ``torch.nn.Module.__call__`` is replaced now."""
    return nn.Module.__call__ in _original_of


def _last_handle_gone(reference: weakref.ref[Token]) -> None:
    global _token
    with _lock:
        if reference is _token:
            _token = None
            _uninstall()


def _recording(function: Callable[..., Any], nested: bool) -> Callable[..., Any]:
    """Return a function that is recorded, for which torch does not call ``__torch_function__``.

    ``nested`` says whether symbolic data may be inside of its arguments.
    """

    @functools.wraps(function)
    def recording(*args: Any, **kwargs: Any) -> Any:
        handle: Any = find((args, kwargs), (Handle,)) if nested or _has_handle(args) else None
        if handle is None:
            try:
                return function(*args, **kwargs)
            except (RuntimeError, ArgumentError):
                handle = find(args, (Handle,))
                if not hasattr(handle, "symbolic"):  # unlike the size in torch.tensor([x.shape[0]])
                    raise
        return handle._record_function_call(function, args, kwargs)

    recording._replaced = function  # type: ignore[attr-defined]  # for pickling
    return recording


def _install() -> None:
    _device_constructors()  # torch keeps this list of functions at its first use
    for owner, name, original, recording in FUNCTIONS:
        if getattr(owner, name) is original:
            setattr(owner, name, recording)
    if Function.__dict__["apply"] is _ORIGINAL_APPLY:
        Function.apply = _recording_apply  # type: ignore[assignment, method-assign]
        torch._functorch.utils.unwrap_dead_wrappers = _refusing_unwrap
    current = nn.Module.__call__
    if current is _ORIGINAL:
        nn.Module.__call__ = _recording_call  # type: ignore[method-assign]
    elif current not in _original_of:
        # Another library, such as a tracer, wrapped the method first: call its wrapper.
        nn.Module.__call__ = _recording_call_through(current)  # type: ignore[method-assign]


def _uninstall() -> None:
    for owner, name, original, recording in FUNCTIONS:
        if getattr(owner, name) is recording:
            if owner is Tensor:  # the original is inherited
                delattr(owner, name)
            else:
                setattr(owner, name, original)
    if Function.__dict__["apply"] is _recording_apply:
        Function.apply = _ORIGINAL_APPLY  # type: ignore[method-assign]
    if torch._functorch.utils.unwrap_dead_wrappers is _refusing_unwrap:
        torch._functorch.utils.unwrap_dead_wrappers = _ORIGINAL_UNWRAP
    # If another library wrapped our method meanwhile, its wrapper stays, and our method passes
    # ordinary calls on. If the library restores our method, the next uninstall removes it.
    while nn.Module.__call__ in _original_of:
        nn.Module.__call__ = _original_of[nn.Module.__call__]  # type: ignore[method-assign]
    _harmless.intersection_update(ATOMS)  # keep no type of the program alive


def _record(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record the call if an argument is symbolic, or else return `NOT_SYMBOLIC`."""
    if not kwargs and ATOMS.issuperset(map(type, args)):  # called because of a function mode
        return NOT_SYMBOLIC
    if args and isinstance(args[0], Handle):
        return args[0]._record_call(layer, args, kwargs)
    handle = find((args, kwargs), (Handle,))
    if handle is None and args and isinstance(args[0], nn.Module):  # nn.GELU(x), not nn.GELU()(x)
        handle = find(list(vars(args[0]).values()), (Handle,))
    return NOT_SYMBOLIC if handle is None else handle._record_call(layer, args, kwargs)


def _recording_call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
    # This runs for every module of the process while a handle is alive, so a call with tensors
    # costs only a few checks in C.
    if (
        _has_handle(args)
        if args and type(args[0]) is Tensor
        else args and (type(args[0]) not in _harmless or len(args) > 1) and _may_hold_handle(args)
    ) or (kwargs and _may_hold_handle(kwargs.values())):
        result = _record(self, args, kwargs)
        if result is not NOT_SYMBOLIC:
            return result
    if self._compiled_call_impl is not None:
        return self._compiled_call_impl(*args, **kwargs)
    return self._call_impl(*args, **kwargs)  # type: ignore[no-untyped-call]


_has_handle = torch._C._has_torch_function  # true of subclasses of tensors, too
_harmless = set(ATOMS)  # types whose instances hold no handle; more are found on the way


def _may_hold_handle(values: Iterable[Any], depth: int = 4) -> bool:
    """Return whether a handle may be among values or in them; what follows a tensor is skipped."""
    for value in values:
        kind = type(value)
        if kind in _harmless:
            continue
        if kind is dict:
            parts = [*value.values()]
        elif kind is list or kind is tuple:
            parts = value
        elif isinstance(value, (Handle, nn.Module)):
            return True
        elif (children := children_of(value)) is not None:
            parts = [*children]
        else:
            attributes = getattr(value, "__dict__", None)
            if type(attributes) is not dict:
                _harmless.add(kind)
            elif _has_handle([*attributes.values()]):
                return True
            continue
        if parts and (
            _has_handle(parts)
            if type(parts[0]) is Tensor
            else depth == 0 or _may_hold_handle(parts, depth - 1)
        ):
            return True
    return False


def _recording_call_through(previous: Callable[..., Any]) -> Callable[..., Any]:
    def recording_call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        result = _record(self, args, kwargs)
        return previous(self, *args, **kwargs) if result is NOT_SYMBOLIC else result

    _original_of[recording_call] = previous
    return recording_call


def _apply(cls: type[Function], *args: Any, **kwargs: Any) -> Any:
    handle = find((args, kwargs), (Handle,))
    if handle is None:
        return _ORIGINAL_APPLY.__func__(cls, *args, **kwargs)
    return handle._record_function_call(MethodType(_ORIGINAL_APPLY.__func__, cls), args, kwargs)


def _refusing_unwrap(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse symbolic data in ``Function.apply``, which would crash in C++."""
    if find(args, (Handle,)) is not None:
        name = sys._getframe(1).f_locals["cls"].__name__
        raise ArgumentError(
            f"{name}.apply was looked up while no symbolic data was alive, so the call cannot be "
            f"recorded: write {name}.apply(x) in full, or add_to_graph({name}.apply, x)"
        )
    return _ORIGINAL_UNWRAP(args)


_recording_apply = classmethod(_apply)
_ORIGINAL_APPLY = Function.__dict__["apply"]
FUNCTIONS = [
    (owner, name, getattr(owner, name), _recording(getattr(owner, name), nested))
    for nested, owner, names in (
        # An unknown size as a separate argument.
        (False, torch, ("zeros", "ones", "empty", "rand", "randn", "tensor", "as_tensor")),
        (False, Tensor, ("expand", "new_zeros", "new_ones", "new_empty")),
        # What torch.func.functional_call, vmap and grad look up at each call.
        (True, torch.nn.utils.stateless, ("_functional_call",)),
        (True, torch._functorch.apis, ("vmap_impl",)),
        (True, torch._functorch.eager_transforms, ("grad_impl", "grad_and_value_impl")),
    )
    for name in names
]
_ORIGINAL_UNWRAP = torch._functorch.utils.unwrap_dead_wrappers
_ORIGINAL = nn.Module._wrapped_call_impl

# The method that each of our replacements calls, while the replacement is referenced.
_original_of: weakref.WeakKeyDictionary[Callable[..., Any], Callable[..., Any]]
_original_of = weakref.WeakKeyDictionary({_recording_call: _ORIGINAL})

module_calls.suspended = suspended

TRANSPARENT: tuple[Callable[..., Any], ...] = (_ORIGINAL, _recording_call)
"""Values of ``Module.__call__`` that treat real data as the original does."""
