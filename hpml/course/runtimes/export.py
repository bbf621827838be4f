"""Export a PyTorch model as an ONNX graph, which other runtimes can run."""

from __future__ import annotations

import copy
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch import nn

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.tables import Shown, Table

from .errors import ExportError, require
from .quiet import quiet


@dataclass(frozen=True)
class OnnxModel(Shown):
    """An exported model; `save` writes a file for Netron and every runtime.

    Attributes:
        names: the names of the inputs.
        inputs: shape and dtype of each input.
        nodes: type, inputs and outputs of each operator.
        training: whether it was exported in training mode, which is for viewing only.
        structure: how the outputs form the model's result, such as the keys of a dictionary.
    """

    data: bytes = field(repr=False)
    names: tuple[str, ...]
    inputs: tuple[tuple[tuple[int, ...], torch.dtype], ...]
    nodes: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = field(repr=False)
    training: bool = False
    structure: Any = field(default=None, repr=False)

    @property
    def operators(self) -> dict[str, int]:
        """The number of operators of each type, most frequent first."""
        return dict(Counter(kind for kind, _, _ in self.nodes).most_common())

    @property
    def parents(self) -> dict[str, list[str]]:
        """The parents of each input and operator (numbered by type), without weights."""
        producers, counts, parents = dict[str, str](), Counter[str](), dict[str, list[str]]()
        for name in self.names:
            producers[name], parents[name] = name, []
        for kind, reads, writes in self.nodes:
            counts[kind] += 1
            name = f"{kind}_{counts[kind]}"
            parents[name] = [producers[each] for each in dict.fromkeys(reads) if each in producers]
            producers |= dict.fromkeys(writes, name)
        return parents

    def save(self, path: str | Path) -> Path:
        """Write the file, usually with the suffix ``.onnx``, and return its path."""
        path = Path(path)
        write_atomically(path, self.data)
        return path

    def _shown(self) -> list[Table]:
        mode = "training mode, for viewing only" if self.training else "evaluation mode"
        title = f"{len(self.nodes)} operators, exported in {mode}"
        rows = [list(row) for row in self.operators.items()]
        return [Table(["operator", "count"], rows, title=title)]


def export_onnx(model: nn.Module, *inputs: torch.Tensor, training: bool = False) -> OnnxModel:
    """Export a model to ONNX with ``torch.onnx.export(dynamo=True)``.

    In training mode dropout and batch normalisation stay in the graph, but it must not be run:
    PyTorch 2.13 exports a batch normalisation that uses its running statistics, and runtimes
    ignore dropout.

    Args:
        model: any module, also a symbolic model; its mode is restored.
        inputs: example inputs; the exported model accepts only their shapes and dtypes.
        training: whether to export in training mode.

    Raises:
        ExportError: if a layer cannot be exported; the message names it. Also if the model changes
            state (a buffer, an attribute, its input), which ONNX cannot. In training mode also if
            a dropout is missing in the graph, as with an LSTM or a TransformerEncoderLayer.
        NotInstalledError: if onnx or onnxscript is not installed.

    Source: https://docs.pytorch.org/docs/stable/onnx_export.html

    >>> exported = export_onnx(nn.Sequential(nn.Linear(4, 2), nn.ReLU()), torch.ones(1, 4))
    >>> exported.operators
    {'Gemm': 1, 'Relu': 1}
    """
    others = [x for x in inputs if not isinstance(x, torch.Tensor)]
    if not isinstance(model, nn.Module) or not inputs or others:
        received = describe(others[0]) if others else f"{len(inputs)} input(s)"
        raise ExportError(
            object="export_onnx",
            expected="a torch.nn.Module and example inputs, tensors",
            received=f"{describe(model)} and {received}",
            remedy="Write export_onnx(model, x). For other inputs, wrap the model in a module "
            "that takes only tensors.",
        )
    require("onnx", "onnxscript")
    modes = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        with quiet(), torch.no_grad():
            if not training:  # there batch normalisation changes its statistics
                _check_state(model, inputs)
            program = _exported(model, inputs)
            onnx = _translated(program, optimise=not training)
    finally:
        for module, mode in modes:
            module.training = mode
    nodes = [(node.op_type, _names(node.inputs), _names(node.outputs)) for node in onnx.model.graph]
    signature = [(tuple(x.shape), x.dtype) for x in inputs]
    if training:
        _check_dropout(model, sum(kind == "Dropout" for kind, _, _ in nodes))
    data, names = onnx.model_proto.SerializeToString(), _names(onnx.model.graph.inputs)
    structure = getattr(program.call_spec, "out_spec", None)
    return OnnxModel(data, names, tuple(signature), tuple(nodes), training, structure)


def _check_state(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
    """Raise an error if a copy of the model changes a buffer, an attribute or an input."""
    try:
        model, given = copy.deepcopy(model), [x.clone() for x in inputs]
        buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
        model(*given)
        first = _attributes(model)  # after one call, in which it may fill caches
        pairs = enumerate(zip(inputs, given, strict=True), 1)
        found = [f"the input {number}" for number, pair in pairs if _differ(*pair)]
        found += [
            f"the buffer {name}"
            for name, buffer in model.named_buffers()
            if name in buffers and _differ(buffers[name], buffer)
        ]
        model(*[x.clone() for x in inputs])
        second = _attributes(model)
    except Exception:  # noqa: BLE001 - torch.export says what it cannot follow, and where
        return
    found += [f"the attribute {key}" for key in second if second[key] != first.get(key)]
    if found:
        raise ExportError(
            object="the model",
            expected="one without state, since an exported graph starts each call with the same",
            received=f"a forward that changes {', '.join(found)}",
            remedy="Pass the state as an input and return it as an output.",
        )


def _differ(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape != other.shape or bool(((one != other) & ~(one.isnan() & other.isnan())).any())


def _attributes(model: nn.Module) -> dict[str, object]:
    """Return the plain values in the attributes of a model, and the sizes of its containers."""
    found: dict[str, object] = {}
    for name, module in model.named_modules():
        for key, value in vars(module).items():
            if isinstance(value, (bool, int, float, complex, str, type(None))):
                found[f"{name}.{key}".lstrip(".")] = value
            elif isinstance(value, (list, dict, set)) and key not in _OF_TORCH:
                found[f"{name}.{key}".lstrip(".")] = len(value)
    return found


_OF_TORCH = frozenset(vars(nn.Module()))


def _check_dropout(model: nn.Module, exported: int) -> None:
    """Raise an error if the graph has fewer dropouts than the model."""
    dropouts = [
        f"{name or 'the model'} ({type(module).__name__})"
        for name, module in model.named_modules()
        if ("Dropout" in type(module).__name__ and getattr(module, "p", False))
        or (isinstance(module, nn.RNNBase) and module.dropout and module.num_layers > 1)
        or (isinstance(module, nn.MultiheadAttention) and module.dropout)
    ]
    if exported < len(dropouts):
        raise ExportError(
            object="export_onnx(training=True)",
            expected=f"a Dropout for each of {', '.join(dropouts)}",
            received=f"{exported} in the graph: PyTorch leaves the others out",
            remedy="Export with training=False.",
        )


def _names(values: Any) -> tuple[str, ...]:
    return tuple(value.name for value in values if value is not None)


def _exported(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> Any:
    try:
        return torch.export.export(model, inputs, strict=False)
    except Exception as error:
        layer = _innermost_layer(model, error.__traceback__) or "the model"
        reason = str(error).strip().partition("\n")[0]
        remedy = "Call the model with the same inputs: it has to run on them."
        if "data-dependent" in reason:
            remedy = (
                "A branch that depends on a tensor's values cannot be recorded: use torch.where "
                "or torch.cond, or remove the layer."
            )
        raise ExportError(
            f"torch.export cannot follow {layer}: {reason.rstrip('.')}.",
            object=layer,
            expected="a layer that torch.export can follow",
            received=reason,
            remedy=remedy,
        ) from error


def _translated(program: Any, *, optimise: bool) -> Any:
    try:
        return torch.onnx.export(program, dynamo=True, verbose=False, optimize=optimise)
    except Exception as error:
        operator = re.search(r"op='([\w.]+)'", str(error))
        name = operator[1] if operator else "an operator"
        layer = _user_of(program, name)
        raise ExportError(
            f"ONNX has no counterpart of {name}, used in {layer}.",
            object=layer,
            expected="operators that have a counterpart in ONNX",
            received=name,
            remedy="Write the layer with other operators, or call torch.onnx.export with a "
            "custom_translation_table.",
        ) from error


def _innermost_layer(model: nn.Module, traceback: TracebackType | None) -> str:
    """Return the innermost layer in a traceback."""
    names = {id(module): name for name, module in model.named_modules()}
    innermost = ""
    while traceback is not None:
        frame = traceback.tb_frame
        layer = frame.f_locals.get("self")
        if isinstance(layer, nn.Module) and names.get(id(layer)):
            innermost = f"layer {names[id(layer)]!r} ({type(layer).__name__})"
        traceback = traceback.tb_next
    return innermost


def _user_of(program: Any, operator: str) -> str:
    """Return the layer of the exported program that uses an operator."""
    short = operator.rpartition(".")[2]
    for node in program.graph.nodes:
        stack = node.meta.get("nn_module_stack")
        if short in node.name and stack:
            name, kind = list(stack.values())[-1]
            return f"layer {name!r} ({str(kind).rpartition('.')[2]})"
    return "the model"
