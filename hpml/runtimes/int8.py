"""A model in 8-bit integers, by torchao: what PyTorch recommends since it gave up its own.

``torch.ao.quantization`` (eager and FX) is deprecated. Its successor for CPUs exports the model,
puts observers around what the x86 kernels can do in integers, and converts; ``torch.compile`` then
makes integer kernels of it. Until it is compiled the result computes the same in floats, slowly.

Source: https://docs.pytorch.org/ao/stable/pt2e_quantization/pt2e_quant_x86_inductor.html
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from hpml.base.errors import describe

from .errors import RuntimesError, check_module, require
from .quiet import quiet

WAYS = ("dynamic", "static", "aware")
"""The scale of activations: read off each batch, fixed by calibration, or learnt by training."""

_PT2E = "torchao.quantization.pt2e"


def int8(
    model: nn.Module,
    example: torch.Tensor,
    way: str,
    *,
    calibration: torch.Tensor | Iterable[torch.Tensor] = (),
    train: Callable[[nn.Module], object] | None = None,
) -> nn.Module:
    """Return the model with 8-bit weights and activations; the model itself stays as it is.

    Args:
        model: a model that `torch.export` can follow; a copy of it is taken, as it predicts.
        example: a batch of at least two; other batches may be of another length.
        way: one of `WAYS`.
        calibration: a batch or several that show which numbers occur, for ``"static"``.
        train: trains the model it is given, in which rounding is imitated, for ``"aware"``.

    Raises:
        RuntimesError: no such way, or without what it needs.
        NotInstalledError: torchao is not installed.
    """
    check_module("int8", model)
    if not isinstance(example, torch.Tensor) or len(example) < 2:
        got = tuple(example.shape) if isinstance(example, torch.Tensor) else describe(example)
        raise RuntimesError(f"int8 expected as example a batch of at least two, received {got}")
    # A tensor is one batch, and not as many as it has rows.
    batches = [calibration] if isinstance(calibration, torch.Tensor) else list(calibration)
    others = [batch for batch in batches if not isinstance(batch, torch.Tensor)]
    if others:
        raise RuntimesError(
            "int8 expected calibration to be batches of the model's input, tensors without labels, "
            f"received {describe(others[0])}: write calibration=[x for x, _ in loader]"
        )
    needed = {"static": bool(batches), "aware": callable(train)}.get(way, True)
    if way not in WAYS or not needed:
        raise RuntimesError(
            f"int8 expected way to be one of {', '.join(WAYS)}, 'static' with calibration batches "
            f"and 'aware' with a function train, received {way!r} with {len(batches)} batches and "
            f"train={train!r}"
        )
    with quiet():
        steps, x86, pt2e = require(
            f"{_PT2E}.quantize_pt2e", f"{_PT2E}.quantizer.x86_inductor_quantizer", _PT2E
        )
        config = x86.get_default_x86_inductor_quantization_config(
            is_dynamic=way == "dynamic", is_qat=way == "aware"
        )
        quantizer = x86.X86InductorQuantizer().set_global(config)
        batch = {0: torch.export.Dim.AUTO}
        own = copy.deepcopy(model).eval()
        first = next(iter(inspect.signature(own.forward).parameters.values()))
        of_all = first.kind is inspect.Parameter.VAR_POSITIONAL  # as of a symbolic model
        shapes = ((batch,),) if of_all else (batch,)
        exported = torch.export.export(own, (example,), dynamic_shapes=shapes).module()
        prepare = steps.prepare_qat_pt2e if way == "aware" else steps.prepare_pt2e
        prepared = prepare(exported, quantizer)
        if train is not None and way == "aware":
            pt2e.allow_exported_model_train_eval(prepared)  # it may call model.train()
            train(prepared)
        with torch.no_grad():
            for each in batches or [example]:
                prepared(each)
        converted: nn.Module = pt2e.move_exported_model_to_eval(steps.convert_pt2e(prepared))
    return converted


def weight_bytes(model: nn.Module) -> int:
    """Return the bytes of the weights that a model uses, quantised ones with their scales.

    >>> weight_bytes(nn.Linear(4, 2))
    40
    """
    if not isinstance(model, torch.fx.GraphModule):
        return sum(p.numel() * p.element_size() for p in model.parameters())
    names = {str(node.target) for node in model.graph.nodes if node.op == "get_attr"}
    values = [_attribute(model, name) for name in names]
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    return sum(value.numel() * value.element_size() for value in tensors)


def _attribute(model: nn.Module, path: str) -> Any:
    value: Any = model
    for name in path.split("."):
        value = getattr(value, name)
    return value


def compile_int8(model: nn.Module, example: torch.Tensor) -> Callable[[torch.Tensor], Any]:
    """Return the model compiled to integer kernels, its weights frozen, and called once."""
    import torch._inductor.config as inductor

    compiled = torch.compile(model, dynamic=False)
    with quiet(), inductor.patch(freezing=True), torch.no_grad():
        compiled(example)

    def run(x: torch.Tensor) -> Any:
        with torch.no_grad():
            return compiled(x)

    return run
