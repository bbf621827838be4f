"""ONNX Runtime as a function of tensors, with a chosen optimisation level and thread count."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from hpml.base.errors import describe

from .errors import InputError, NotInstalledError, RuntimesError, require
from .export import OnnxModel

OPTIMISATION = {"off": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "all": "ORT_ENABLE_ALL"}
"""ONNX Runtime's names of the levels of graph optimisation."""


class OnnxSession:
    """An exported model in ONNX Runtime.

    Args:
        model: from `export_onnx`.
        optimisation: ``"off"``, ``"basic"`` (constant folding, removal of redundant operators) or
            ``"all"`` (also fusion and other memory layouts).
        threads: threads per operator.
        spinning: whether waiting threads keep their core busy instead of sleeping.
        tensorrt: whether TensorRT runs the operators that it supports.

    Raises:
        NotInstalledError: if onnxruntime, or TensorRT if requested, is missing.
        RuntimesError: if an argument is invalid, or ONNX Runtime lacks an operator for a dtype.
        InputError: if it is called with another shape, dtype or number of inputs.

    >>> from hpml.course.runtimes import export_onnx
    >>> session = OnnxSession(export_onnx(torch.nn.ReLU(), torch.ones(2)))
    >>> session(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(
        self,
        model: OnnxModel,
        *,
        optimisation: str = "all",
        threads: int = 1,
        spinning: bool = False,
        tensorrt: bool = False,
    ) -> None:
        if optimisation not in OPTIMISATION or not isinstance(threads, int) or threads < 1:
            raise RuntimesError(
                object="optimisation and threads of OnnxSession",
                expected=f"one of {', '.join(OPTIMISATION)}, and at least 1 thread",
                received=f"{optimisation!r} and {threads!r}",
                remedy="Leave them out for all optimisations and one thread.",
            )
        if not isinstance(model, OnnxModel):
            raise RuntimesError(
                object="model of OnnxSession",
                expected="what export_onnx returns",
                received=describe(model),
                remedy="For a file use onnxruntime.InferenceSession(path).",
            )
        if model.training:
            raise RuntimesError(
                object="model of OnnxSession",
                expected="a model in evaluation mode, as ONNX Runtime would run it",
                received="one in training mode",
                remedy="Export it with training=False.",
            )
        (runtime,) = require("onnxruntime")
        options = _options(runtime, optimisation)
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spinning)))
        providers = ["CPUExecutionProvider"]
        if tensorrt:
            if missing := _tensorrt_lacks():
                raise _without_tensorrt(missing)
            providers = ["TensorrtExecutionProvider", "CUDAExecutionProvider", *providers]
        try:
            self._session = runtime.InferenceSession(model.data, options, providers=providers)
        except Exception as error:  # ONNX Runtime's exceptions have no common base class
            raise RuntimesError(
                object="ONNX Runtime",
                expected="operators that support their dtype",
                received=str(error).strip().splitlines()[0],
                remedy="Export the model in float32, model.float().",
            ) from error
        self._names, self._expected = model.names, model.inputs
        self._structure = model.structure

    def __call__(self, *inputs: torch.Tensor) -> Any:
        """Return the model's result, in its own structure: a tensor, tuple, list or dictionary."""
        self._check(inputs)
        arrays = {name: x.detach().numpy() for name, x in zip(self._names, inputs, strict=True)}
        results = tuple(torch.from_numpy(each) for each in self._session.run(None, arrays))
        if self._structure is not None and self._structure.num_leaves == len(results):
            return torch.utils._pytree.tree_unflatten(results, self._structure)
        return results if len(results) > 1 else results[0]

    def _check(self, inputs: tuple[torch.Tensor, ...]) -> None:
        others = [describe(x) for x in inputs if not isinstance(x, torch.Tensor) or not x.is_cpu]
        if others:
            raise InputError(
                object="inputs of the exported model",
                expected="tensors on the CPU",
                received=", ".join(others),
                remedy="Convert an array with torch.from_numpy(x), move a tensor with x.cpu().",
            )
        signature = [(tuple(x.shape), x.dtype) for x in inputs]
        if tuple(signature) != self._expected:
            expected, received = (
                ", ".join(f"{list(shape)} of {str(dtype)[6:]}" for shape, dtype in each) or "none"
                for each in (self._expected, signature)
            )
            raise InputError(
                object="inputs of the exported model",
                expected=expected,
                received=received,
                remedy="Export it again with an example of that shape and dtype.",
            )


def _options(runtime: Any, optimisation: str) -> Any:
    options = runtime.SessionOptions()
    level = getattr(runtime.GraphOptimizationLevel, OPTIMISATION[optimisation])
    options.graph_optimization_level = level
    options.log_severity_level = 3
    return options


def optimised_operators(model: OnnxModel, optimisation: str) -> dict[str, int]:
    """Return the number of operators of each type after ONNX Runtime's optimisation.

    >>> from hpml.course.runtimes import export_onnx
    >>> optimised_operators(export_onnx(torch.nn.ReLU(), torch.ones(2)), "all")
    {'Relu': 1}
    """
    runtime, onnx = require("onnxruntime", "onnx")
    options = _options(runtime, optimisation)
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder, "optimised.onnx"))
        runtime.InferenceSession(model.data, options, providers=["CPUExecutionProvider"])
        graph = onnx.load(options.optimized_model_filepath).graph
    return dict(Counter(node.op_type for node in graph.node).most_common())


def tensorrt_missing() -> str:
    """Return why TensorRT cannot run here and how to install it, or an empty string if it can."""
    missing = _tensorrt_lacks()
    return str(_without_tensorrt(missing)) if missing else ""


def _tensorrt_lacks() -> str:
    (runtime,) = require("onnxruntime")
    if not torch.cuda.is_available():
        return "no GPU that PyTorch finds"
    if "TensorrtExecutionProvider" not in runtime.get_available_providers():
        return "an ONNX Runtime without the provider"
    return ""


def _without_tensorrt(missing: str) -> NotInstalledError:
    return NotInstalledError(
        object="TensorRT through ONNX Runtime",
        expected="an NVIDIA GPU and the provider of ONNX Runtime",
        received=missing,
        remedy="On a machine with a GPU, run pip uninstall onnxruntime; pip install "
        "onnxruntime-gpu tensorrt.",
    )
