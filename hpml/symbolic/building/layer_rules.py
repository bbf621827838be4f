"""A registry of common layer types: shape rules, inlined expressions and kernel operations.

The registry is an optimisation: for a layer type without an entry the shape is inferred with a
copy of the layer, and the layer is called. Subclasses have no entry, because they may compute
something else. A shape rule is for a type of which a model may have
thousands, or whose inference is slow. The tests compare
each shape rule and expression with the layer itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import useful_layers
from hpml.symbolic.errors import ShapeError

from .node import ITSELF, VIEW, Effects, TensorSpec

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
        raise ShapeError(f"expected a last dimension of {layer.in_features}")
    return TensorSpec((*spec.shape[:-1], layer.out_features), spec.dtype)


def _layer_norm(layer: nn.LayerNorm, spec: TensorSpec) -> TensorSpec | None:
    if layer.elementwise_affine and _weight_dtype_differs(layer, spec):
        return None
    expected = tuple(layer.normalized_shape)
    if spec.shape[len(spec.shape) - len(expected) :] != expected or len(spec.shape) < len(expected):
        raise ShapeError(f"expected last dimensions {expected}")
    return _same(layer, spec)


def _batch_norm(ranks: tuple[int, ...]) -> ShapeRule:
    def rule(layer: Any, spec: TensorSpec) -> TensorSpec | None:
        for tensor in (layer._parameters.get("weight"), layer._buffers.get("running_mean")):
            if tensor is not None and tensor.dtype is not spec.dtype:
                return None
        if len(spec.shape) not in ranks:
            return None
        if spec.shape[1] != layer.num_features:
            raise ShapeError(f"expected {layer.num_features} channels")
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
    nn.Softmax: LayerRule("softmax({0}, {l}.dim, _stacklevel=5)"),
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
        "{0}.flatten({l}.start_dim, {l}.end_dim)", kernel=("flatten", "start_dim", "end_dim")
    ),
    nn.MaxPool2d: LayerRule(
        "max_pool2d({0}, {l}.kernel_size, {l}.stride, {l}.padding, {l}.dilation, "
        "ceil_mode={l}.ceil_mode, return_indices={l}.return_indices)",
    ),
    nn.AvgPool2d: LayerRule(
        "avg_pool2d({0}, {l}.kernel_size, {l}.stride, {l}.padding, {l}.ceil_mode, "
        "{l}.count_include_pad, {l}.divisor_override)",
    ),
    nn.AdaptiveAvgPool2d: LayerRule("adaptive_avg_pool2d({0}, {l}.output_size)"),
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
