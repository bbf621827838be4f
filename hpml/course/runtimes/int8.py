"""Quantise a model to 8-bit integers with torchao, the successor of ``torch.ao.quantization``.

It exports the model, inserts observers where x86 has integer kernels, and converts. Before
``torch.compile`` creates those kernels, the result computes the same numbers slowly in floats.

Source: https://docs.pytorch.org/ao/stable/pt2e_quantization/pt2e_quant_x86_inductor.html
"""

from __future__ import annotations

import copy
import inspect
import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from hpml.base.errors import describe
from hpml.base.optional import look_up

from .errors import NotInstalledError, RuntimesError, check_module, require
from .quiet import quiet

WAYS = ("dynamic", "static", "aware")
"""The scale of activations: computed for each batch, fixed by calibration, or trained."""

_PT2E = "torchao.quantization.pt2e"
_MODULES = (f"{_PT2E}.quantize_pt2e", f"{_PT2E}.quantizer.x86_inductor_quantizer", _PT2E)


def int8(
    model: nn.Module,
    example: torch.Tensor,
    way: str,
    *,
    calibration: torch.Tensor | Iterable[torch.Tensor] = (),
    train: Callable[[nn.Module], object] | None = None,
) -> nn.Module:
    """Return a copy of the model in evaluation mode with 8-bit weights and activations.

    Args:
        model: a model that `torch.export` supports.
        example: a batch of at least two inputs; other batches may have another length.
        way: ``"dynamic"``, ``"static"`` or ``"aware"`` (quantisation-aware training).
        calibration: one or several typical batches, for ``"static"``.
        train: trains the model that it gets, which simulates rounding, for ``"aware"``.

    Raises:
        RuntimesError: if `way` is unknown, its argument is missing or no layer can be converted.
        NotInstalledError: if `int8_missing` gives a reason.
    """
    check_module("int8", model)
    if not isinstance(example, torch.Tensor) or len(example) < 2:
        given = tuple(example.shape) if isinstance(example, torch.Tensor) else describe(example)
        raise RuntimesError(
            object="example of int8",
            expected="a batch of at least two",
            received=str(given),
            remedy="Pass a tensor of several examples.",
        )
    # A tensor is one batch, not an iterable of its rows.
    batches = [calibration] if isinstance(calibration, torch.Tensor) else list(calibration)
    others = [batch for batch in batches if not isinstance(batch, torch.Tensor)]
    if others:
        raise RuntimesError(
            object="calibration of int8",
            expected="batches of the model's input, tensors without labels",
            received=describe(others[0]),
            remedy="Write calibration=[x for x, _ in loader].",
        )
    complete = {"static": bool(batches), "aware": callable(train)}.get(way, True)
    if way not in WAYS or not complete:
        raise RuntimesError(
            object="way of int8",
            expected=f"one of {', '.join(WAYS)}",
            received=f"{way!r} with {len(batches)} batches and train={describe(train)}",
            remedy="Pass calibration batches with 'static', and a function train with 'aware'.",
        )
    with quiet():
        steps, x86, pt2e = require(*_MODULES)
        config = x86.get_default_x86_inductor_quantization_config(
            is_dynamic=way == "dynamic", is_qat=way == "aware"
        )
        quantizer = x86.X86InductorQuantizer().set_global(config)
        batch = {0: torch.export.Dim.AUTO}
        copied = copy.deepcopy(model).eval()
        first = next(iter(inspect.signature(copied.forward).parameters.values()))
        variadic = first.kind is inspect.Parameter.VAR_POSITIONAL  # in symbolic models
        shapes = ((batch,),) if variadic else (batch,)
        # torchao recognises layers by what only a strict export records in every version.
        exported = torch.export.export(
            copied, (example,), dynamic_shapes=shapes, strict=True
        ).module()
        prepare = steps.prepare_qat_pt2e if way == "aware" else steps.prepare_pt2e
        prepared = prepare(exported, quantizer)
        if train is not None and way == "aware":
            pt2e.allow_exported_model_train_eval(prepared)  # `train` may call model.train()
            train(prepared)
        with torch.no_grad():
            for each in batches or [example]:
                prepared(each)
        converted: nn.Module = pt2e.move_exported_model_to_eval(steps.convert_pt2e(prepared))
    if weight_bytes(converted) >= weight_bytes(model):
        raise RuntimesError(
            object="model of int8",
            expected="linear layers or convolutions that torchao converts",
            received=f"none in {describe(model)}",
            remedy="Keep this model in float32.",
        )
    return converted


def int8_missing() -> str:
    """Return why models cannot be quantised here and what to do, or an empty string."""
    try:
        with quiet():
            require(*_MODULES)
    except NotInstalledError as error:
        return str(error)
    return ""


def weight_bytes(model: nn.Module) -> int:
    """Return the bytes of a model's weights, including the scales of quantised weights."""
    if not isinstance(model, torch.fx.GraphModule):
        return sum(p.numel() * p.element_size() for p in model.parameters())
    names = {str(node.target) for node in model.graph.nodes if node.op == "get_attr"}
    values = [operator.attrgetter(name)(model) for name in names]
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    return sum(value.numel() * value.element_size() for value in tensors)


def compile_int8(model: nn.Module, example: torch.Tensor) -> Callable[[torch.Tensor], Any]:
    """Return a quantised model compiled to integer kernels for inputs like `example`."""
    # `options={"freezing": True}` comes too late: PyTorch 2.13 then cannot pack the weights.
    with_settings = look_up("torch._inductor.config.patch", "compile_int8", RuntimesError)
    compiled = torch.compile(model, dynamic=False)
    with quiet(), with_settings(freezing=True), torch.no_grad():
        compiled(example)

    def run(x: torch.Tensor) -> Any:
        with torch.no_grad():
            return compiled(x)

    return run
