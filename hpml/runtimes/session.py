"""ONNX Runtime as a function of tensors, with its optimisation level and threads chosen."""

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
"""The levels of graph optimisation, and what ONNX Runtime calls them."""

_TENSORRT = (
    "TensorRT through ONNX Runtime needs an NVIDIA GPU and its provider; {}. On a machine "
    "with a GPU: pip uninstall onnxruntime; pip install onnxruntime-gpu tensorrt"
)


class OnnxSession:
    """An exported model, ready to run in ONNX Runtime.

    Args:
        model: from `export_onnx`.
        optimisation: ``"off"``, ``"basic"`` (constants folded, useless operators removed) or
            ``"all"`` (operators fused, memory laid out differently).
        threads: how many work on one operator.
        spinning: whether waiting threads keep their core busy; otherwise they sleep.
        tensorrt: let TensorRT run what it can.

    Raises:
        NotInstalledError: onnxruntime, or TensorRT where it is asked for, is not there.
        RuntimesError: another optimisation, less than one thread, no exported model, or one with an
            operator that ONNX Runtime has not for its dtype.
        InputError: it is called with another shape, dtype or number of inputs.

    >>> from hpml.runtimes import export_onnx
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
                f"OnnxSession expected optimisation to be one of {', '.join(OPTIMISATION)} and at "
                f"least 1 thread, received {optimisation!r} and {threads!r}"
            )
        if not isinstance(model, OnnxModel):
            raise RuntimesError(
                f"OnnxSession expected what export_onnx returns, received {describe(model)}: a "
                "file opens with onnxruntime.InferenceSession(path)"
            )
        if model.training:
            raise RuntimesError(
                "OnnxSession expected a model exported with training=False, received one in "
                "training mode: ONNX Runtime would run its layers as in evaluation"
            )
        (runtime,) = require("onnxruntime")
        options = _options(runtime, optimisation)
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spinning)))
        providers = ["CPUExecutionProvider"]
        if tensorrt:
            missing = tensorrt_missing()
            if missing:
                raise NotInstalledError(missing)
            providers = ["TensorrtExecutionProvider", "CUDAExecutionProvider", *providers]
        try:
            self._session = runtime.InferenceSession(model.data, options, providers=providers)
        except Exception as error:  # of its own kinds, without a common root
            raise RuntimesError(
                "ONNX Runtime expected operators that it has for their dtype, received "
                f"{str(error).strip().splitlines()[0]}: export the model in float32, model.float()"
            ) from error
        self._names, self._expected = model.names, model.inputs

    def __call__(self, *inputs: torch.Tensor) -> Any:
        """Return the model's result, or a tuple of several."""
        self._check(inputs)
        given = {name: x.detach().numpy() for name, x in zip(self._names, inputs, strict=True)}
        results = tuple(torch.from_numpy(each) for each in self._session.run(None, given))
        return results if len(results) > 1 else results[0]

    def _check(self, inputs: tuple[torch.Tensor, ...]) -> None:
        others = [describe(x) for x in inputs if not isinstance(x, torch.Tensor)]
        if others:
            raise InputError(
                f"the exported model expected tensors, received {', '.join(others)}: "
                "torch.from_numpy(x) makes one of an array"
            )
        given = [(tuple(x.shape), x.dtype) for x in inputs]
        if tuple(given) != self._expected:
            wanted, came = (
                ", ".join(f"{list(shape)} of {str(dtype)[6:]}" for shape, dtype in each) or "none"
                for each in (self._expected, given)
            )
            raise InputError(
                f"the exported model expected {wanted}, received {came}: export it again with an "
                "example of that shape and dtype"
            )


def _options(runtime: Any, optimisation: str) -> Any:
    options = runtime.SessionOptions()
    level = getattr(runtime.GraphOptimizationLevel, OPTIMISATION[optimisation])
    options.graph_optimization_level = level
    options.log_severity_level = 3
    return options


def optimised_operators(model: OnnxModel, optimisation: str) -> dict[str, int]:
    """Return how often each operator is left after ONNX Runtime's optimisation.

    >>> from hpml.runtimes import export_onnx
    >>> optimised_operators(export_onnx(torch.nn.ReLU(), torch.ones(2)), "all")
    {'Relu': 1}
    """
    if optimisation not in OPTIMISATION:
        raise RuntimesError(
            f"optimised_operators expected one of {', '.join(OPTIMISATION)}, received "
            f"{describe(optimisation)}"
        )
    runtime, onnx = require("onnxruntime", "onnx")
    options = _options(runtime, optimisation)
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder, "optimised.onnx"))
        runtime.InferenceSession(model.data, options, providers=["CPUExecutionProvider"])
        graph = onnx.load(options.optimized_model_filepath).graph
    return dict(Counter(node.op_type for node in graph.node).most_common())


def tensorrt_missing() -> str:
    """Return why TensorRT cannot run here and how to install it; empty where it can."""
    (runtime,) = require("onnxruntime")
    if not torch.cuda.is_available():
        return _TENSORRT.format("PyTorch finds no GPU")
    if "TensorrtExecutionProvider" not in runtime.get_available_providers():
        return _TENSORRT.format("ONNX Runtime lacks it")
    return ""
