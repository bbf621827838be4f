"""A registry of common layer types: shape rules, inlined expressions and kernel operations.

The registry is an optimisation: for a layer type without an entry the shape is inferred with a
copy of the layer, and the layer is called. So it is where a rule does not apply, which also gives
PyTorch's message for a wrong shape. Subclasses have no entry, because they may compute something
else. The tests compare each shape rule and expression with the layer itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ShapeError

from .node import ITSELF, VIEW, Effects, Size, TensorSpec

# From a layer and argument specs to the result's spec; None if the rule does not apply. Raises
# ShapeError if the layer cannot take the arguments.
ShapeRule = Callable[..., TensorSpec | None]


class LayerRule(NamedTuple):
    """The entry of one layer type.

    In the expression ``{0}`` and ``{1}`` are the arguments, ``{l}`` is the layer and ``{p}`` its
    dictionary of parameters. `FUNCTIONS` defines the functions.
    """

    expression: str
    shape: ShapeRule | None = None
    kernel: tuple[str, ...] = ()  # the kernel's operation, and the settings that it takes
    fixed: tuple[tuple[str, Any], ...] = ()  # required by the expression; else the layer is called
    kernel_fixed: tuple[tuple[str, Any], ...] = ()  # required by the kernel as well
    effects: Effects | None = None
    arguments: int = 1

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the expression reads."""
        return tuple(n for n in ("weight", "bias") if f'{{p}}["{n}"]' in self.expression)


def _same(layer: nn.Module, spec: TensorSpec) -> TensorSpec | None:
    return spec if spec.dtype.is_floating_point else None


def _identity(layer: nn.Module, spec: TensorSpec) -> TensorSpec:
    return spec


def _weight_dtype_differs(layer: nn.Module, spec: TensorSpec) -> bool:
    weight = layer._parameters.get("weight")
    return weight is None or weight.dtype is not spec.dtype


def _linear(layer: nn.Linear, spec: TensorSpec) -> TensorSpec | None:
    if _weight_dtype_differs(layer, spec):
        return None
    if not spec.shape or spec.shape[-1] != layer.in_features:
        raise ShapeError(
            object="Linear",
            expected=f"a last dimension of {layer.in_features}",
            remedy="Make it for the size that arrives, "
            f"nn.Linear(x.features, {layer.out_features}), or change the shape of the value first.",
        )
    return TensorSpec((*spec.shape[:-1], layer.out_features), spec.dtype)


def _convolution(layer: Any, spec: TensorSpec) -> TensorSpec | None:
    shape, kernel = spec.shape, layer.kernel_size
    if (
        len(shape) != len(kernel) + 2
        or shape[1] != layer.in_channels
        or isinstance(layer.padding, str)
        or layer.padding_mode != "zeros"
        or _weight_dtype_differs(layer, spec)
    ):
        return None
    sizes = _window_sizes(shape[2:], kernel, layer.stride, layer.padding, layer.dilation)
    return None if sizes is None else TensorSpec((shape[0], layer.out_channels, *sizes), spec.dtype)


def _pool(layer: Any, spec: TensorSpec) -> TensorSpec | None:
    settings = layer.__dict__  # average pooling has no dilation and no indices
    if settings.get("return_indices") or layer.ceil_mode or len(spec.shape) != 4:
        return None
    kernel, padding = _pair(layer.kernel_size), _pair(layer.padding)
    if any(2 * pad > window for pad, window in zip(padding, kernel, strict=True)):
        return None  # refused by the layer
    stride, dilation = _pair(layer.stride), _pair(settings.get("dilation", 1))
    sizes = _window_sizes(spec.shape[2:], kernel, stride, padding, dilation)
    if sizes is None or not spec.dtype.is_floating_point:
        return None
    return TensorSpec((*spec.shape[:2], *sizes), spec.dtype)


def _adaptive_pool(layer: Any, spec: TensorSpec) -> TensorSpec | None:
    if len(spec.shape) != 4 or 0 in spec.shape or not spec.dtype.is_floating_point:
        return None
    targets = zip(spec.shape[2:], _pair(layer.output_size), strict=True)
    sizes = [size if target is None else target for size, target in targets]
    return TensorSpec((*spec.shape[:2], *sizes), spec.dtype)


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def _window_sizes(sizes: tuple[Size, ...], *settings: Any) -> tuple[int, ...] | None:
    """Return the number of windows along each axis, or None where only PyTorch knows it."""
    results = []
    for size, window, step, pad, spread in zip(sizes, *settings, strict=True):
        if not isinstance(size, int):
            return None
        result = (size + 2 * pad - spread * (window - 1) - 1) // step + 1
        if type(result) is not int or result < 1:
            return None
        results.append(result)
    return tuple(results)


def _flatten(layer: nn.Flatten, spec: TensorSpec) -> TensorSpec | None:
    axes = range(len(spec.shape))
    try:
        first, last = axes[layer.start_dim], axes[layer.end_dim]
    except (IndexError, TypeError):
        return None
    if first > last:
        return None
    product: Size = 1
    for size in spec.shape[first : last + 1]:
        product *= size
    return TensorSpec((*spec.shape[:first], product, *spec.shape[last + 1 :]), spec.dtype)


def _softmax(layer: nn.Softmax, spec: TensorSpec) -> TensorSpec | None:
    axes = range(-len(spec.shape), len(spec.shape))
    return _same(layer, spec) if layer.dim in axes else None


def _layer_norm(layer: nn.LayerNorm, spec: TensorSpec) -> TensorSpec | None:
    if layer.elementwise_affine and _weight_dtype_differs(layer, spec):
        return None
    expected = tuple(layer.normalized_shape)
    if spec.shape[len(spec.shape) - len(expected) :] != expected or len(spec.shape) < len(expected):
        raise ShapeError(
            object="LayerNorm",
            expected=f"last dimensions {expected}",
            remedy="Make it for the sizes that arrive, as nn.LayerNorm(x.features) for the last "
            "one, or change the shape of the value first.",
        )
    return _same(layer, spec)


def _batch_norm(ranks: tuple[int, ...]) -> ShapeRule:
    def rule(layer: Any, spec: TensorSpec) -> TensorSpec | None:
        for tensor in (layer._parameters.get("weight"), layer._buffers.get("running_mean")):
            if tensor is not None and tensor.dtype is not spec.dtype:
                return None
        if len(spec.shape) not in ranks:
            return None
        if spec.shape[1] != layer.num_features:
            raise ShapeError(
                object="BatchNorm",
                expected=f"{layer.num_features} channels",
                remedy="Make it for the channels that arrive, "
                f"nn.{type(layer).__name__}(x.channels), or change the layer before.",
            )
        return _same(layer, spec)

    return rule


def _batch_norm_form(x: Any, layer: Any, weight: Any, bias: Any) -> Any:
    """Compute BatchNorm from its running statistics, or call the layer if it does not use them."""
    mean, variance = layer._buffers.get("running_mean"), layer._buffers.get("running_var")
    if layer.training or mean is None or variance is None:
        return layer(x)
    layer._check_input_dim(x)
    return F.batch_norm(x, mean, variance, weight, bias, False, 0.0, layer.eps)


def _same_pair(layer: nn.Module, one: TensorSpec, two: TensorSpec) -> TensorSpec | None:
    return one if one == two and one.dtype.is_floating_point else None


def _convolution_rule(function: str) -> LayerRule:
    return LayerRule(
        f'{function}({{0}}, {{p}}["weight"], {{p}}["bias"], '
        "{l}.stride, {l}.padding, {l}.dilation, {l}.groups)",
        _convolution,
        fixed=(("padding_mode", "zeros"),),
    )


def _batch_norm_rule(*ranks: int) -> LayerRule:
    return LayerRule('batch_norm({0}, {l}, {p}["weight"], {p}["bias"])', _batch_norm(ranks))


def _operator(symbol: str, *kernel: str) -> LayerRule:
    return LayerRule(f"{{0}} {symbol} {{1}}", _same_pair, kernel, arguments=2)


LAYER_RULES: dict[type[nn.Module], LayerRule] = {
    nn.Linear: LayerRule(
        'linear({0}, {p}["weight"], {p}["bias"])',
        _linear,
        ("linear", "in_features", "out_features"),
    ),
    nn.Conv1d: _convolution_rule("conv1d"),
    nn.Conv2d: _convolution_rule("conv2d"),
    nn.ReLU: LayerRule("relu({0}, {l}.inplace)", _same, ("relu", "inplace")),
    nn.GELU: LayerRule("gelu({0}, approximate={l}.approximate)", _same, ("gelu", "approximate")),
    nn.LeakyReLU: LayerRule("leaky_relu({0}, {l}.negative_slope, {l}.inplace)", _same),
    nn.SiLU: LayerRule("silu({0}, inplace={l}.inplace)", _same, ("silu", "inplace")),
    nn.Softmax: LayerRule("softmax({0}, {l}.dim, _stacklevel=5)", _softmax),
    nn.Hardswish: LayerRule("hardswish({0}, {l}.inplace)", _same),
    nn.Sigmoid: LayerRule("sigmoid({0})", _same, ("sigmoid",)),
    nn.Tanh: LayerRule("tanh({0})", _same, ("tanh",)),
    nn.Dropout: LayerRule(
        "dropout({0}, {l}.p, {l}.training, {l}.inplace)",
        _same,
        ("unchanged",),
        kernel_fixed=(("training", False),),
        effects=VIEW,
    ),
    nn.Identity: LayerRule("{0}", _identity, ("unchanged",), effects=ITSELF),
    nn.Flatten: LayerRule(
        "{0}.flatten({l}.start_dim, {l}.end_dim)",
        _flatten,
        ("flatten", "start_dim", "end_dim"),
        effects=VIEW,
    ),
    nn.MaxPool2d: LayerRule(
        "max_pool2d({0}, {l}.kernel_size, {l}.stride, {l}.padding, {l}.dilation, "
        "ceil_mode={l}.ceil_mode, return_indices={l}.return_indices)",
        _pool,
    ),
    nn.AvgPool2d: LayerRule(
        "avg_pool2d({0}, {l}.kernel_size, {l}.stride, {l}.padding, {l}.ceil_mode, "
        "{l}.count_include_pad, {l}.divisor_override)",
        _pool,
    ),
    nn.AdaptiveAvgPool2d: LayerRule("adaptive_avg_pool2d({0}, {l}.output_size)", _adaptive_pool),
    nn.LayerNorm: LayerRule(
        'layer_norm({0}, {l}.normalized_shape, {p}["weight"], {p}["bias"], {l}.eps)',
        _layer_norm,
    ),
    nn.BatchNorm1d: _batch_norm_rule(2, 3),
    nn.BatchNorm2d: _batch_norm_rule(4),
    useful_layers.AddOpLayer: _operator("+", "add"),
    useful_layers.SubOpLayer: _operator("-", "sub"),
    useful_layers.MulOpLayer: _operator("*", "mul"),
    useful_layers.ModOpLayer: _operator("%"),
    useful_layers.MatmulOpLayer: _operator("@")._replace(shape=None),
    useful_layers.ReshapeLayer: LayerRule("reshape({0}, {l}.shape)", kernel=("reshape", "shape")),
    useful_layers.SliceLayer: LayerRule("{0}[{l}.idx]"),
    useful_layers.SliceLayerSymbolicIdx: LayerRule("{0}[{1}]", arguments=2),
    useful_layers.GetAttr: LayerRule("getattr({0}, {l}.name)"),
    useful_layers.ConcatLayer: LayerRule("cat(({0},), {l}.dim)"),
}

_OF_FUNCTIONAL = (
    *("adaptive_avg_pool2d", "avg_pool2d", "conv1d", "conv2d", "dropout", "gelu", "hardswish"),
    *("layer_norm", "leaky_relu", "linear", "max_pool2d", "relu", "silu", "softmax"),
)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(F, name) for name in _OF_FUNCTIONAL},
    **{name: getattr(torch, name) for name in ("cat", "reshape", "sigmoid", "tanh")},
    "batch_norm": _batch_norm_form,
}
"""The functions that the expressions call, by name."""
