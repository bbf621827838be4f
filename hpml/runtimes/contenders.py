"""One model in each runtime that is here, ready to be compared, once their results agree."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from hpml.base.tables import Shown, Table
from hpml.jit import find_cpp_compiler

from .errors import NotInstalledError, RuntimesError, check_module, require
from .export import OnnxModel, export_onnx
from .quiet import quiet
from .session import OPTIMISATION, OnnxSession, tensorrt_missing

TOLERANCE = 1e-3
"""How far a result may lie from eager's, as a part of eager's largest number."""


@dataclass(frozen=True)
class Runtimes(Shown):
    """The same model in several runtimes.

    Attributes:
        runs: by name a function without arguments, for `hpml.benchmark.compare`.
        distances: how far each result lies from eager's, as a part of its largest number; of
            several results the farthest.
        missing: what is not here, and how to install it.
    """

    runs: Mapping[str, Callable[[], Any]] = field(repr=False)
    distances: Mapping[str, float]
    missing: Sequence[str] = ()

    def _shown(self) -> list[Table]:
        return [
            Table(
                ["runtime", "distance from eager"],
                [[name, distance] for name, distance in self.distances.items()],
                caption=" ".join([f"Allowed: {TOLERANCE:g}.", *self.missing]),
                formats={"distance from eager": "{:.1e}".format},
            )
        ]


def runtimes(
    model: nn.Module,
    *inputs: torch.Tensor,
    threads: Sequence[int] = (1,),
    compiled: bool = True,
    exported: OnnxModel | None = None,
) -> Runtimes:
    """Return a model in every runtime that is installed here.

    Eager, ``torch.compile``, ONNX Runtime by optimisation level with the first number of threads
    and with full optimisation for the others, and TensorRT where there is one. PyTorch's own two
    use `torch.get_num_threads`. All run a copy of the model, as it predicts. Who has exported it
    for these inputs gives `exported`.

    Raises:
        RuntimesError: a result lies further from eager's than `TOLERANCE`.
        ExportError: a layer cannot be exported.

    >>> found = runtimes(nn.Linear(4, 2), torch.ones(1, 4), compiled=False)
    >>> list(found.runs)
    ['eager', 'ONNX Runtime, off', 'ONNX Runtime, basic', 'ONNX Runtime, all']
    """
    check_module("runtimes", model)
    if isinstance(threads, int) or not threads:
        raise RuntimesError(
            f"runtimes expected threads to be numbers of threads, as (1, 2), received {threads!r}"
        )
    model = copy.deepcopy(model).eval()  # the caller's may be in training, and go on with it
    ready: dict[str, Callable[..., Any]] = {"eager": model}
    missing = []
    if compiled and find_cpp_compiler() is None:
        missing.append("torch.compile needs a C++ compiler, such as g++.")
    elif compiled:
        ready["compiled"] = torch.compile(model)
    try:
        require("onnxruntime", "onnx", "onnxscript")
    except NotInstalledError as error:
        missing.append(f"{error}.")
    else:
        exported = exported or export_onnx(model, *inputs)
        for level in OPTIMISATION:
            name = f"ONNX Runtime, {level}"
            ready[name] = OnnxSession(exported, optimisation=level, threads=threads[0])
        for count in threads[1:]:
            ready[f"ONNX Runtime, all, {count} threads"] = OnnxSession(exported, threads=count)
        if reason := tensorrt_missing():
            missing.append(f"{reason}.")
        else:
            ready["TensorRT"] = OnnxSession(exported, tensorrt=True)
    runs = {name: _without_arguments(function, inputs) for name, function in ready.items()}
    return Runtimes(runs, _distances(runs), missing)


def _without_arguments(
    function: Callable[..., Any], inputs: tuple[torch.Tensor, ...]
) -> Callable[[], Any]:
    def run() -> Any:
        with torch.inference_mode():
            return function(*inputs)

    return run


def _distances(runs: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    found = {}
    with quiet():  # compiling has much to say
        results = {name: torch.utils._pytree.tree_leaves(run()) for name, run in runs.items()}
    for name, result in results.items():
        pairs = zip(result, results["eager"], strict=True)
        found[name] = max(_distance(mine, its) for mine, its in pairs)
        if not found[name] <= TOLERANCE:
            raise RuntimesError(
                f"{name} expected the result of eager within {TOLERANCE:g} of its largest "
                f"number, received one that differs by {found[name]:.1e}: do not use this "
                "runtime for this model"
            )
    return found


def _distance(mine: torch.Tensor, its: torch.Tensor) -> float:
    """Return how far a result lies from eager's; the same infinity, or twice none, is equal."""
    if its.numel() == 0:
        return 0.0
    wide = torch.promote_types(its.dtype, torch.float64)
    mine, its = mine.to(wide), its.to(wide)
    equal = (mine == its) | (mine.isnan() & its.isnan())
    largest = float(its.abs().where(its.isfinite(), 0.0).max()) or 1.0
    off = (mine - its).abs().where(~equal, 0.0).nan_to_num(nan=torch.inf, posinf=torch.inf)
    return float(off.max()) / largest
