"""What shape does a layer's result have, when nothing has been computed yet?

Three answers, the first that serves:

1. a layer rule: about a microsecond, no tensor at all;
2. *meta propagation*: a copy of the layer runs on meta tensors, which have a shape and no numbers
   (`shape_runs`), so that nothing is allocated or computed. The answer is remembered by the type
   and configuration of the layer and the shapes of its arguments;
3. for anything that is not a tensor (a list, a number, an object of the user's): a copy of the
   layer runs once on example data of its parents' shapes.

Whatever ran, the layer itself did not.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from hpml.symbolic import useful_layers
from hpml.symbolic.building.arguments import children_of
from hpml.symbolic.building.interception import Handle
from hpml.symbolic.building.node import (
    Concrete,
    Node,
    TensorSpec,
    describe_spec,
    format_origin,
    layer_name,
    layer_text,
)
from hpml.symbolic.errors import ArgumentError, GraphError, ShapeError

from . import shape_memory
from .examples import device_of, stand_in
from .layer_rules import shape_by_rule
from .shape_runs import call_copy

Spec = TensorSpec | Concrete


def infer(layer: nn.Module, parents: Sequence[Node]) -> Spec:
    """Return what is known about ``layer(*parents)`` without computing it, where possible."""
    if len(parents) == 1 and type(parents[0].spec) is TensorSpec:
        try:
            spec = shape_by_rule(layer, parents[0].spec)
        except ShapeError as error:
            raise ShapeError(_message(layer, parents, str(error))) from None
        if spec is not None:
            return spec
    elif len(parents) == 2 and type(layer) in _ELEMENTWISE:
        first, second = parents[0].spec, parents[1].spec
        if type(first) is TensorSpec and first == second and first.dtype.is_floating_point:
            return first
    if type(layer) is useful_layers.CallbackLayer:
        return parents[0].spec
    if any(is_lazy(parameter) for parameter in layer.parameters()):
        _materialize(layer, parents)
    return _propagate(layer, parents)


def given_spec(shape: Any, parents: Sequence[Node]) -> TensorSpec:
    """Return the spec for a shape that was given by hand, with the dtype of the first tensor."""
    dtypes = [parent.spec.dtype for parent in parents if isinstance(parent.spec, TensorSpec)]
    try:
        first, *rest = shape
        sizes = (1 if first is None else operator.index(first), *map(operator.index, rest))
    except (TypeError, ValueError):
        sizes = (-1,)
    if any(size < 0 for size in sizes):
        raise ArgumentError(
            f"output_shape expected a tuple of sizes, the batch dimension first (None where it is "
            f"not known), received {shape!r}"
        )
    return TensorSpec(sizes, dtypes[0] if dtypes else torch.get_default_dtype())


def infer_parts(parent: Node) -> list[Spec]:
    """Return what is known about each item of a value that is unpacked, ``a, b = value``."""
    spec = parent.spec
    if isinstance(spec, TensorSpec):
        return [TensorSpec(spec.shape[1:], spec.dtype)] * spec.shape[0]
    return [_as_spec(item, is_real=spec.is_real) for item in spec.value]


_ELEMENTWISE = {
    useful_layers.AddOpLayer,
    useful_layers.SubOpLayer,
    useful_layers.MulOpLayer,
    useful_layers.ModOpLayer,
}


def _propagate(layer: nn.Module, parents: Sequence[Node]) -> Spec:
    if any(
        type(p.spec) is Concrete and p.spec.is_real and not _is_plain(p.spec.value) for p in parents
    ):
        return _run_once(layer, parents)
    remembered = shape_memory.recall(layer, parents)
    if remembered is not None:
        return remembered
    spec = None
    if not any(isinstance(module, torch.jit.ScriptModule) for module in layer.modules()):
        # The parameters of TorchScript lie in C++, where they cannot be meta tensors.
        spec = _run_on_meta(layer, parents)
    if spec is None:
        return _run_once(layer, parents)
    if type(spec) is TensorSpec:
        shape_memory.remember(layer, parents, spec)
    return spec


def _is_plain(value: Any) -> bool:
    """Return whether a value means the same to meta propagation as to a real run."""
    return isinstance(value, (int, float, bool, str, type(None), torch.Size, torch.dtype))


# --- meta propagation ----------------------------------------------------------------------------


def _run_on_meta(layer: nn.Module, parents: Sequence[Node]) -> Spec | None:
    """Run the layer on meta tensors; ``None`` where meta tensors cannot stand for the values."""
    try:
        return _as_spec(_call_on_meta(layer, parents, batch=1), is_real=False)
    except GraphError:
        raise
    except Exception as error:  # a layer may raise anything
        if not all(parent.batch_known for parent in parents):
            spec = _run_on_two_batches(layer, parents)
            if spec is not None:
                return spec
        if isinstance(error, RuntimeError) and not _is_about_meta(error):
            raise ShapeError(_message(layer, parents, _first_line(error))) from error
        return None


def _is_about_meta(error: RuntimeError) -> bool:
    return isinstance(error, NotImplementedError) or "meta" in str(error).lower()


def _run_on_two_batches(layer: nn.Module, parents: Sequence[Node]) -> TensorSpec | None:
    """Find the shape for one sample from the shapes for two and for three samples.

    Some layers refuse a single sample, BatchNorm in training mode among them. A size that depends
    on the batch grows linearly with it.
    """
    try:
        two = _as_spec(_call_on_meta(layer, parents, batch=2), is_real=False)
        three = _as_spec(_call_on_meta(layer, parents, batch=3), is_real=False)
    except Exception:  # noqa: BLE001 - the caller reports the error for the declared batch size
        return None
    if type(two) is not TensorSpec or type(three) is not TensorSpec:
        return None
    if len(two.shape) != len(three.shape):
        return None
    shape = tuple(2 * a - b for a, b in zip(two.shape, three.shape, strict=True))
    return TensorSpec(shape, two.dtype)


def _call_on_meta(layer: nn.Module, parents: Sequence[Node], batch: int) -> Any:
    return _call(layer, lambda: [_meta_value(parent, batch) for parent in parents], meta=True)


def _call(layer: nn.Module, arguments: Callable[[], list[Any]], *, meta: bool) -> Any:
    """Call a copy of the layer, with gradients if its forward asks for them."""
    try:
        return call_copy(layer, arguments(), meta=meta)
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
    return call_copy(layer, arguments(), meta=meta, gradients=True)


def _meta_value(node: Node, batch: int) -> Any:
    spec = node.spec
    if isinstance(spec, TensorSpec):
        shape = spec.shape
        if batch != 1 and not node.batch_known and shape:
            shape = (shape[0] * batch, *shape[1:])
        return torch.empty(shape, dtype=spec.dtype, device="meta")
    return spec.value


def _as_spec(value: Any, *, is_real: bool) -> Spec:
    if isinstance(value, torch.Tensor):
        return TensorSpec(tuple(value.shape), value.dtype)
    if isinstance(value, Handle):
        raise ArgumentError(
            f"a layer expected values, and took {value!r} from elsewhere: give it as an argument"
        )
    return Concrete(value, is_real or _is_numberless(value))


def _is_numberless(value: Any) -> bool:
    """Return whether no tensor can be inside: only containers of plain values."""
    waiting = [value]
    for item in waiting:
        parts = children_of(item)
        if parts is not None:
            waiting.extend(parts)
        elif not (_is_plain(item) or isinstance(item, (torch.device, type(...)))):
            return False
        if len(waiting) > shape_memory.LARGEST_CONTENT:
            return False
    return True


# --- one real run --------------------------------------------------------------------------------


def _run_once(layer: nn.Module, parents: Sequence[Node]) -> Spec:
    """Run a copy of the layer once on example data of its parents' shapes and dtypes."""
    device = device_of(layer)
    try:
        result = _call(layer, lambda: [stand_in(parent, device) for parent in parents], meta=False)
    except GraphError:
        raise
    except Exception as error:
        kind = ShapeError if isinstance(error, RuntimeError) else GraphError
        raise kind(_message(layer, parents, _first_line(error))) from error
    return _as_spec(result, is_real=True)


def _materialize(layer: nn.Module, parents: Sequence[Node]) -> None:
    """Let a lazy layer take its shapes from its first call; that call cannot be undone.

    Nothing trains meanwhile, so that no statistics are collected.
    """
    device = device_of(layer)
    modes = [(module, module.training) for module in layer.modules()]
    try:
        layer.eval()
        with torch.no_grad():
            layer(*[stand_in(parent, device) for parent in parents])
    except Exception as error:
        raise ShapeError(_message(layer, parents, _first_line(error))) from error
    finally:
        for module, training in modes:
            module.training = training


def _message(layer: nn.Module, parents: Sequence[Node], reason: str) -> str:
    received = " and ".join(describe_spec(parent.spec, parent.batch_known) for parent in parents)
    made = [
        f"{'the input' if parent.layer is None else layer_name(parent.layer)} "
        f"at {format_origin(parent.origin)}"
        for parent in parents
        if parent.origin is not None
    ]
    where = f" The value it received was made by {' and '.join(made)}." if made else ""
    return f"{layer_text(layer)} cannot take a value of {received}: {reason}.{where}"


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    line = text.splitlines()[0].rstrip(".") if text else "no message"
    return f"{type(error).__name__}: {line}"
