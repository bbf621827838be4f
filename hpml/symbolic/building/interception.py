"""Replace ``torch.nn.Module.__call__`` while symbolic data is alive, so ``layer(x)`` is recorded.

Nothing else of PyTorch is ever replaced, so that unrelated code does not notice symbolic data: what
it compiles, scripts, exports, pickles or imports meanwhile, and what other threads and processes
do. Functions of torch record themselves through ``__torch_function__``. What calls neither that nor
a module is handled as follows:

- ``torch.func.functional_call(module, weights, x)`` calls the module. `_record` sees by the caller
  that the module has other weights for this call, and records the call of ``functional_call``.
- ``Function.apply(x)`` and the transforms of ``torch.func``, such as ``torch.vmap(f)(x)``, ask
  whether `x` is a tensor, which reads ``x.__class__``. `Handle` raises ArgumentError then, because
  the call cannot be recorded: write ``add_to_graph(torch.vmap(f), x)``.
- A size that depends on the batch is a tensor without data, so that the functions that take sizes
  record it; see `tensor_shape`.

Every handle refers to the same *token*; the original method is restored when the last handle and
with it the token is freed. Models refer to nodes and to no handles, so they keep nothing replaced.

For speed, the replacement tests in C whether an argument has a ``__torch_function__``, as handles
do, and contains the code of ``Module._wrapped_call_impl``, which saves a Python frame.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import has_torch_function

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

    @property
    def __class__(self) -> type[Any]:
        """The type; refuses functions that ask for it before they use a tensor unrecorded."""
        caller = sys._getframe(1)
        if caller.f_globals.get("__name__", "").startswith(_TRANSFORMS):
            raise _transform_refused(caller)
        return type(self)

    @__class__.setter
    def __class__(self, value: type[Any]) -> None:
        raise TypeError(f"the type of symbolic data cannot be changed to {value!r}")

    def _record_call(self, layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _record_function_call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        raise NotImplementedError


_TRANSFORMS = ("torch._functorch.", "torch.autograd.function")
"""Modules of torch with functions that compute with a tensor without recording it."""


def _transform_refused(frame: FrameType) -> ArgumentError:
    """Return the error for a function that would use symbolic data unrecorded."""
    function, shown = "torch.vmap(f)", "A transform of torch.func"
    caller: FrameType | None = frame
    while caller is not None and caller.f_globals.get("__name__", "").startswith("torch."):
        name, cls = caller.f_code.co_name, caller.f_locals.get("cls")
        if name == "apply" and isinstance(cls, type):
            function = shown = f"{cls.__name__}.apply"
        caller = caller.f_back
    return ArgumentError(
        object=shown,
        expected="tensors",
        received="symbolic data in a direct call, which the graph would not contain",
        remedy=f"Write add_to_graph({function}, x), or put the call into the forward of a module.",
    )


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


@module_calls.suspend_in_measurements
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


def _install() -> None:
    current = nn.Module.__call__
    if current is _ORIGINAL and _CAN_MERGE:
        nn.Module.__call__ = _recording_call  # type: ignore[method-assign]
    elif current not in _original_of:
        # Another library, such as a tracer, wrapped the method first: call its wrapper.
        nn.Module.__call__ = _recording_call_through(current)  # type: ignore[method-assign]


def _uninstall() -> None:
    # If another library wrapped our method meanwhile, its wrapper stays, and our method passes
    # ordinary calls on. If the library restores our method, the next uninstall removes it.
    while nn.Module.__call__ in _original_of:
        nn.Module.__call__ = _original_of[nn.Module.__call__]  # type: ignore[method-assign]
    _harmless.intersection_update(ATOMS)  # keep no type of the program alive


def _record(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record the call if an argument is symbolic, or else return `NOT_SYMBOLIC`."""
    if not kwargs and ATOMS.issuperset(map(type, args)):  # called because of a function mode
        return NOT_SYMBOLIC
    handle: Any = (
        args[0] if args and isinstance(args[0], Handle) else find((args, kwargs), (Handle,))
    )
    if handle is None and args and isinstance(args[0], nn.Module):  # nn.GELU(x), not nn.GELU()(x)
        handle = find(list(vars(args[0]).values()), (Handle,))
    if handle is None:
        return NOT_SYMBOLIC
    caller = sys._getframe(2)
    if caller.f_globals.get("__name__") == _FUNCTIONAL_CALL:
        return _record_functional_call(handle, layer, args, kwargs, caller.f_locals)
    return handle._record_call(layer, args, kwargs)


_FUNCTIONAL_CALL = torch.nn.utils.stateless.__name__
"""The module whose functions call a module with other weights."""


def _record_functional_call(
    handle: Any,
    layer: nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    call: dict[str, Any],
) -> Any:
    """Record the call of ``functional_call`` whose local variables are given."""
    weights = call.get("parameters_and_buffers")
    if not isinstance(weights, dict):
        raise ArgumentError(
            object="torch.func.functional_call",
            expected="a module with real data",
            received="symbolic data, in a version of PyTorch that hpml was not tested with",
            remedy="Write add_to_graph(torch.func.functional_call, module, weights, (x,)).",
        )
    settings = {name: call[name] for name in ("tie_weights", "strict") if name in call}
    function = torch.func.functional_call
    return handle._record_function_call(function, (layer, weights, args, kwargs), settings)


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


_has_handle = has_torch_function  # true of subclasses of tensors, too
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


_ORIGINAL: Callable[..., Any] = nn.Module.__call__
_CAN_MERGE = hasattr(nn.Module, "_call_impl") and hasattr(nn.Module, "_compiled_call_impl")

# The method that each of our replacements calls, while the replacement is referenced.
_original_of: weakref.WeakKeyDictionary[Callable[..., Any], Callable[..., Any]]
_original_of = weakref.WeakKeyDictionary({_recording_call: _ORIGINAL})

TRANSPARENT: tuple[Callable[..., Any], ...] = (_ORIGINAL, _recording_call)
"""Values of ``Module.__call__`` that treat real data as the original does."""
