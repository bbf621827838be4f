"""One model in each installed runtime, with equal results, ready for a comparison."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import nn

from hpml.base.errors import describe
from hpml.base.tables import Shown, Table
from hpml.jit import why_not_inductor

from .errors import NotInstalledError, RuntimesError, check_module, require
from .export import OnnxModel, export_onnx
from .quiet import quiet
from .session import OPTIMISATION, OnnxSession, tensorrt_missing

TOLERANCE = 1e-3
"""Largest allowed distance from eager's result, relative to eager's largest number."""


@dataclass(frozen=True)
class Runtimes(Shown):
    """The same model in several runtimes.

    Attributes:
        runs: functions without arguments by name, for `hpml.benchmark.compare`.
        distances: the largest distance of each one's results from eager's, relative to eager's
            largest number.
        missing: the missing runtimes and how to install them.
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
    """Return a copy of a model, in evaluation mode, in every installed runtime.

    Args:
        model: any module.
        inputs: the inputs of all runs.
        threads: thread counts for ONNX Runtime: the first one with every optimisation level, the
            others with full optimisation. Eager and compiled use `torch.get_num_threads`.
        compiled: whether to include ``torch.compile``.
        exported: the model exported for these inputs; by default it is exported here.

    Raises:
        RuntimesError: if the model changes its inputs, or a result differs from eager's by more
            than `TOLERANCE`.
        ExportError: if a layer cannot be exported.

    >>> found = runtimes(nn.Linear(4, 2), torch.ones(1, 4), compiled=False)
    >>> list(found.runs)
    ['eager', 'ONNX Runtime, off', 'ONNX Runtime, basic', 'ONNX Runtime, all']
    """
    check_module("runtimes", model)
    if isinstance(threads, int) or not threads:
        raise RuntimesError(
            object="threads of runtimes",
            expected="one or more counts",
            received=describe(threads),
            remedy="Pass threads=(1, 2).",
        )
    model = copy.deepcopy(model).eval()
    _check_unchanged(model, inputs)
    ready: dict[str, Callable[..., Any]] = {"eager": model}
    missing = []
    if compiled and (reason := why_not_inductor()):
        missing.append(f"torch.compile does not run on the CPU here, because {reason}.")
    elif compiled:
        ready["compiled"] = torch.compile(model)
    try:
        require("onnxruntime", "onnx", "onnxscript")
    except NotInstalledError as error:
        missing.append(str(error))
    else:
        exported = exported or export_onnx(model, *inputs)
        for level in OPTIMISATION:
            name = f"ONNX Runtime, {level}"
            ready[name] = OnnxSession(exported, optimisation=level, threads=threads[0])
        for count in threads[1:]:
            ready[f"ONNX Runtime, all, {count} threads"] = OnnxSession(exported, threads=count)
        if reason := tensorrt_missing():
            missing.append(reason)
        else:
            ready["TensorRT"] = OnnxSession(exported, tensorrt=True)
    inference: Any = torch.inference_mode()
    runs = {name: inference(partial(function, *inputs)) for name, function in ready.items()}
    return Runtimes(runs, _distances(runs), missing)


def _check_unchanged(model: nn.Module, inputs: Sequence[torch.Tensor]) -> None:
    """Raise an error if the model changes its input, which all runtimes share."""
    given = [x.clone() if isinstance(x, torch.Tensor) else x for x in inputs]
    with torch.inference_mode(), quiet():
        model(*given)
    changed = [
        number
        for number, (one, other) in enumerate(zip(inputs, given, strict=True), 1)
        if isinstance(one, torch.Tensor)
        and bool(((one != other) & ~(one.isnan() & other.isnan())).any())
    ]
    if changed:
        raise RuntimesError(
            object="the model",
            expected="one that leaves its inputs as they are, since all runtimes get the same",
            received=f"one that changes input {', '.join(map(str, changed))}",
            remedy="Change a copy, x = x.clone(), or use operations that are not in place.",
        )


def _distances(runs: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    distances = {}
    with quiet():  # the compiler logs a lot
        results = {name: torch.utils._pytree.tree_leaves(run()) for name, run in runs.items()}
    for name, result in results.items():
        pairs = zip(result, results["eager"], strict=True)
        distances[name] = max(_distance(actual, eager) for actual, eager in pairs)
        if not distances[name] <= TOLERANCE:
            raise RuntimesError(
                object=name,
                expected=f"the result of eager within {TOLERANCE:g} of its largest number",
                received=f"one that differs by {distances[name]:.1e}",
                remedy="Do not use this runtime for this model.",
            )
    return distances


def _distance(actual: torch.Tensor, eager: torch.Tensor) -> float:
    """Return the distance of a result from eager's; equal infinities and two NaN are equal."""
    if eager.numel() == 0:
        return 0.0
    wide = torch.promote_types(eager.dtype, torch.float64)
    actual, eager = actual.to(wide), eager.to(wide)
    equal = (actual == eager) | (actual.isnan() & eager.isnan())
    largest = float(eager.abs().where(eager.isfinite(), 0.0).max()) or 1.0
    error = (actual - eager).abs().where(~equal, 0.0).nan_to_num(nan=torch.inf, posinf=torch.inf)
    return float(error.max()) / largest
