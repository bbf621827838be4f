"""How ``layer(x)`` notices that ``x`` is symbolic, at little cost for other calls.

A module that is called with symbolic data must record a node where it would compute. Python
offers one place to notice that, ``torch.nn.Module.__call__``. It is replaced only while symbolic
handles are alive: every handle holds the same *token*, and the original comes back the moment
the last handle is gone. Models hold plain nodes and no handle, so a finished model in a function
that has returned keeps nothing replaced.

The replacement asks in C whether an argument has a ``__torch_function__`` of its own, as handles
do, and then does what ``Module._wrapped_call_impl`` does, in the same Python function: one frame.
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

from hpml.base import module_calls
from hpml.symbolic.errors import ArgumentError

from .arguments import find

_lock = threading.RLock()
_token: weakref.ref[Token] | None = None
_suspended = False

ORDINARY = object()
"""The answer to a call in which nothing is symbolic."""


class Token:
    """Held by every symbolic handle; when the last one is gone, the interception is removed."""

    __slots__ = ("__weakref__",)


class Handle:
    """A symbolic value, seen from here: it records the calls of modules that are given it."""

    __slots__ = ()

    def _record_call(self, layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _record_function_call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        raise NotImplementedError


def handle_token(*, resume: bool = False) -> Token:
    """Return the token for a new handle; install the interception if it is not."""
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
    """Put the original ``Module.__call__`` back until the next input is made."""
    global _suspended
    with _lock:
        _suspended = True
        _uninstall()


@contextlib.contextmanager
def suspended() -> Iterator[None]:
    """Measure module calls as PyTorch made them; ``layer(x)`` is noticed again at the end."""
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
    """Return whether ``torch.nn.Module.__call__`` is replaced at the moment."""
    return nn.Module.__call__ in _below


def _last_handle_gone(reference: weakref.ref[Token]) -> None:
    global _token
    with _lock:
        if reference is _token:
            _token = None
            _uninstall()


def _recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of torch that also takes sizes one by one that depend on the batch.

    torch asks a size in a tuple whether it records the call, and none of several arguments.
    """

    @functools.wraps(function)
    def recording(*args: Any, **kwargs: Any) -> Any:
        handle = find(args, (Handle,)) if _has_handle(args) else None
        if handle is None:
            return function(*args, **kwargs)
        return handle._record_function_call(function, args, kwargs)

    return recording


def _install() -> None:
    for owner, name, original, recording in _TAKING_SIZES:
        if getattr(owner, name) is original:
            setattr(owner, name, recording)
    if Function.__dict__["apply"] is _ORIGINAL_APPLY:
        Function.apply = _recording_apply  # type: ignore[assignment, method-assign]
        torch._functorch.utils.unwrap_dead_wrappers = _refusing_unwrap
    current = nn.Module.__call__
    if current is _ORIGINAL:
        nn.Module.__call__ = _recording_call  # type: ignore[method-assign]
    elif current not in _below:
        # Someone else wrapped the method first (a tracer, another builder): call through theirs.
        nn.Module.__call__ = _recording_call_through(current)  # type: ignore[method-assign]


def _uninstall() -> None:
    for owner, name, original, recording in _TAKING_SIZES:
        if getattr(owner, name) is recording:
            if owner is Tensor:  # which inherits its methods
                delattr(owner, name)
            else:
                setattr(owner, name, original)
    if Function.__dict__["apply"] is _recording_apply:
        Function.apply = _ORIGINAL_APPLY  # type: ignore[method-assign]
    if torch._functorch.utils.unwrap_dead_wrappers is _refusing_unwrap:
        torch._functorch.utils.unwrap_dead_wrappers = _ORIGINAL_UNWRAP
    # If someone wrapped our method meanwhile, taking theirs away would break them. Ours then
    # stays below theirs, where it passes ordinary calls on; should they put it back on top, it
    # goes with the next handles.
    while nn.Module.__call__ in _below:
        nn.Module.__call__ = _below[nn.Module.__call__]  # type: ignore[method-assign]


def _record(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record the call if anything symbolic is among its arguments, else return `ORDINARY`."""
    if not kwargs and _ATOMS.issuperset(map(type, args)):  # a function mode is on, as a device is
        return ORDINARY
    if args and isinstance(args[0], Handle):
        return args[0]._record_call(layer, args, kwargs)
    handle = find((args, kwargs), (Handle,))
    if handle is None and args and isinstance(args[0], nn.Module):  # nn.GELU(x), not nn.GELU()(x)
        handle = find(list(vars(args[0]).values()), (Handle,))
    return ORDINARY if handle is None else handle._record_call(layer, args, kwargs)


def _recording_call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
    # This runs for every module of the process while a handle is alive: a call with tensors may pay
    # for a few checks in C and nothing else.
    found = args and (
        _has_handle(args)
        or (
            (kind := type(first := args[0])) is not Tensor
            and not (
                (kind is list or kind is tuple)
                and first
                and type(first[0]) is Tensor
                and not _has_handle(first)
            )
            and _may_hold_handle(args)
        )
    )
    if kwargs:
        for value in kwargs.values():
            if type(value) not in _ATOMS and (_has_handle((value,)) or _may_hold_handle((value,))):
                found = True
    if found:
        result = _record(self, args, kwargs)
        if result is not ORDINARY:
            return result
    if self._compiled_call_impl is not None:
        return self._compiled_call_impl(*args, **kwargs)
    return self._call_impl(*args, **kwargs)  # type: ignore[no-untyped-call]


_has_handle = torch._C._has_torch_function  # true of subclasses of tensors, too
_ATOMS = frozenset((Tensor, nn.Parameter, int, float, bool, str, type(None)))


def _may_hold_handle(values: Iterable[Any], depth: int = 4) -> bool:
    """Return whether a handle may be in a container among these values.

    Behind a real tensor, only a value that is symbolic itself is noticed.
    """
    for value in values:
        kind = type(value)
        if kind is Tensor:
            return False
        if kind in _ATOMS:
            continue
        if kind is dict:
            value = [*value.values()]
        elif kind is not list and kind is not tuple:
            return True
        if depth == 0 or _has_handle(value) or _may_hold_handle(value, depth - 1):
            return True
    return False


def _recording_call_through(previous: Callable[..., Any]) -> Callable[..., Any]:
    def recording_call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        result = _record(self, args, kwargs)
        return previous(self, *args, **kwargs) if result is ORDINARY else result

    _below[recording_call] = previous
    return recording_call


def _apply(cls: type[Function], *args: Any, **kwargs: Any) -> Any:
    handle = find((args, kwargs), (Handle,))
    if handle is None:
        return _ORIGINAL_APPLY.__func__(cls, *args, **kwargs)
    return handle._record_function_call(MethodType(_ORIGINAL_APPLY.__func__, cls), args, kwargs)


def _refusing_unwrap(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Stand where every ``apply`` passes: C++ would take symbolic data for a tensor and crash."""
    if find(args, (Handle,)) is not None:
        name = sys._getframe(1).f_locals["cls"].__name__
        raise ArgumentError(
            f"{name}.apply was looked up while no symbolic data was alive, so that the call is not "
            f"noticed: write {name}.apply(x) in full, or add_to_graph({name}.apply, x)"
        )
    return _ORIGINAL_UNWRAP(args)


_recording_apply = classmethod(_apply)
_ORIGINAL_APPLY = Function.__dict__["apply"]
_TAKING_SIZES = [
    (owner, name, getattr(owner, name), _recording(getattr(owner, name)))
    for owner, names in (
        (torch, ("zeros", "ones", "empty", "rand", "randn", "tensor", "as_tensor")),
        (Tensor, ("expand", "new_zeros", "new_ones", "new_empty")),
    )
    for name in names
]
_ORIGINAL_UNWRAP = torch._functorch.utils.unwrap_dead_wrappers
_ORIGINAL = nn.Module._wrapped_call_impl

# What is called through by each replacement of ours that is still referenced.
_below: weakref.WeakKeyDictionary[Callable[..., Any], Callable[..., Any]]
_below = weakref.WeakKeyDictionary({_recording_call: _ORIGINAL})

module_calls.suspended = suspended

TRANSPARENT: tuple[Callable[..., Any], ...] = (_ORIGINAL, _recording_call)
"""Values of ``Module.__call__`` that do for real data what torch's own does."""
