"""A model of PyTorch as an ONNX graph: operators that other runtimes know, and its weights."""

from __future__ import annotations

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
    """An exported model; `save` writes the file that Netron and every runtime open.

    Attributes:
        data: the file's content.
        names: of the inputs.
        inputs: shape and dtype of each input.
        nodes: of each operator its type, what it reads and what it makes.
        training: whether it was exported in training mode, which is to be looked at, not run.
    """

    data: bytes = field(repr=False)
    names: tuple[str, ...]
    inputs: tuple[tuple[tuple[int, ...], torch.dtype], ...]
    nodes: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = field(repr=False)
    training: bool = False

    @property
    def operators(self) -> dict[str, int]:
        """How often each operator stands in the graph, most often first."""
        return dict(Counter(kind for kind, _, _ in self.nodes).most_common())

    @property
    def parents(self) -> dict[str, list[str]]:
        """For each input and operator, numbered by type, those it reads from; weights left out."""
        made, counts, found = dict[str, str](), Counter[str](), dict[str, list[str]]()
        for name in self.names:
            made[name], found[name] = name, []
        for kind, reads, makes in self.nodes:
            counts[kind] += 1
            name = f"{kind}_{counts[kind]}"
            found[name] = [made[each] for each in dict.fromkeys(reads) if each in made]
            made |= dict.fromkeys(makes, name)
        return found

    def save(self, path: str | Path) -> Path:
        """Write the file, ``.onnx`` by custom, and return its path."""
        path = Path(path)
        write_atomically(path, self.data)
        return path

    def _shown(self) -> list[Table]:
        mode = "training mode, to look at and not to run" if self.training else "evaluation mode"
        title = f"{len(self.nodes)} operators, exported in {mode}"
        rows = [list(row) for row in self.operators.items()]
        return [Table(["operator", "times"], rows, title=title)]


def export_onnx(model: nn.Module, *inputs: torch.Tensor, training: bool = False) -> OnnxModel:
    """Export a model to ONNX, by ``torch.onnx.export(dynamo=True)``.

    In training mode nothing is folded: dropout and batch normalisation are operators of the graph.
    That shows what the model has. It is not for running: PyTorch 2.13 writes a batch normalisation
    that uses its running statistics, and runtimes leave out dropout.

    Args:
        model: any module, symbolic models included; its mode is put back.
        inputs: examples; the exported model takes exactly their shapes and dtypes.
        training: export the layers that only training needs as well.

    Raises:
        ExportError: a layer cannot be exported; the message names it. In training mode also if a
            dropout is not in the graph, as those inside of an LSTM or a TransformerEncoderLayer.
        NotInstalledError: onnx or onnxscript is not installed.

    Source: https://docs.pytorch.org/docs/stable/onnx_export.html

    >>> exported = export_onnx(nn.Sequential(nn.Linear(4, 2), nn.ReLU()), torch.ones(1, 4))
    >>> exported.operators
    {'Gemm': 1, 'Relu': 1}
    """
    others = [x for x in inputs if not isinstance(x, torch.Tensor)]
    if not isinstance(model, nn.Module) or not inputs or others:
        came = describe(others[0]) if others else f"{len(inputs)} input(s)"
        raise ExportError(
            "export_onnx expected a torch.nn.Module and example inputs, tensors, received "
            f"{describe(model)} and {came}: write export_onnx(model, x); what is no tensor, or a "
            "tuple of them, fix or unpack in a module around it"
        )
    require("onnx", "onnxscript")
    modes = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        with quiet(), torch.no_grad():
            program = _exported(model, inputs)
            onnx = _translated(program, optimise=not training)
    finally:
        for module, mode in modes:
            module.training = mode
    nodes = [(node.op_type, _names(node.inputs), _names(node.outputs)) for node in onnx.model.graph]
    given = [(tuple(x.shape), x.dtype) for x in inputs]
    if training:
        _check_dropout(model, sum(kind == "Dropout" for kind, _, _ in nodes))
    data, names = onnx.model_proto.SerializeToString(), _names(onnx.model.graph.inputs)
    return OnnxModel(data, names, tuple(given), tuple(nodes), training)


def _check_dropout(model: nn.Module, found: int) -> None:
    """Refuse a graph with fewer dropouts than the model has."""
    own = [
        f"{name or 'the model'} ({type(module).__name__})"
        for name, module in model.named_modules()
        if ("Dropout" in type(module).__name__ and getattr(module, "p", False))
        or (isinstance(module, nn.RNNBase) and module.dropout and module.num_layers > 1)
        or (isinstance(module, nn.MultiheadAttention) and module.dropout)
    ]
    if found < len(own):
        raise ExportError(
            f"export_onnx(training=True) expected a Dropout for each of {', '.join(own)}, received "
            f"{found} in the graph: PyTorch leaves the others out; export with training=False"
        )


def _names(values: Any) -> tuple[str, ...]:
    return tuple(value.name for value in values if value is not None)


def _exported(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> Any:
    try:
        return torch.export.export(model, inputs, strict=False)
    except Exception as error:
        where = _innermost_layer(model, error.__traceback__) or "the model"
        reason = str(error).strip().partition("\n")[0]
        advice = ""
        if "data-dependent" in reason:
            advice = (
                " A branch that depends on a tensor's values cannot be recorded: use "
                "torch.where or torch.cond, or remove the layer."
            )
        raise ExportError(f"torch.export cannot follow {where}: {reason}{advice}") from error


def _translated(program: Any, *, optimise: bool) -> Any:
    try:
        return torch.onnx.export(program, dynamo=True, verbose=False, optimize=optimise)
    except Exception as error:
        operator = re.search(r"op='([\w.]+)'", str(error))
        name = operator[1] if operator else "an operator"
        raise ExportError(
            f"ONNX has no counterpart of {name}, used in {_user_of(program, name)}: write the "
            "layer with other operators, or give torch.onnx.export itself one in its "
            "custom_translation_table"
        ) from error


def _innermost_layer(model: nn.Module, traceback: TracebackType | None) -> str:
    """Return which layer was running when the traceback was made."""
    names = {id(module): name for name, module in model.named_modules()}
    found = ""
    while traceback is not None:
        frame = traceback.tb_frame
        layer = frame.f_locals.get("self")
        if isinstance(layer, nn.Module) and names.get(id(layer)):
            found = f"layer {names[id(layer)]!r} ({type(layer).__name__})"
        traceback = traceback.tb_next
    return found


def _user_of(program: Any, operator: str) -> str:
    """Return the layer of the exported program that uses an operator."""
    short = operator.rpartition(".")[2]
    for node in program.graph.nodes:
        stack = node.meta.get("nn_module_stack")
        if short in node.name and stack:
            name, kind = list(stack.values())[-1]
            return f"layer {name!r} ({str(kind).rpartition('.')[2]})"
    return "the model"
