"""Pack the weights and constants of a graph into one array for the kernel.

Each forward reads the weights again, because finding out which changed would take longer and would
miss changes through ``weight.data``. ``torch.stack`` copies all tensors of one shape at once and
checks the shape.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from hpml.symbolic.errors import GradientError

from .code import Step, transposer


class Weights:
    """The layout of the weights array; the constants of step i begin at ``offsets[i]``."""

    def __init__(self, steps: Sequence[tuple[int, Step]], layers: Sequence[nn.Module]) -> None:
        self.offsets: list[int] = []
        constants: list[tuple[int, float]] = []
        groups: dict[tuple[int, ...], list[tuple[int, str, int]]] = {}
        self._absent: list[tuple[int, str]] = []
        offset = 0
        for position, step in steps:
            self.offsets.append(offset)
            constants += enumerate(step.constants, offset)
            offset += len(step.constants)
            for name, shape in step.tensors:
                if layers[position]._parameters.get(name) is None:
                    self._absent.append((position, name))
                else:
                    groups.setdefault(shape, []).append((position, name, offset))
                offset += math.prod(shape)
        self._constants = np.zeros(offset)
        for offset, value in constants:
            self._constants[offset] = value
        # For the tensors of each shape: their names, their offsets, the shape of the stack.
        self._groups = [
            (
                [(position, name) for position, name, _ in members],
                np.array([offset for *_, offset in members], np.intp),
                (len(members), *shape),
            )
            for shape, members in groups.items()
        ]

    def read(self, parameters: Sequence[dict[str, Any]], dtype: Any) -> Any:
        """Return the current weights, None if unsupported, or raise GradientError."""
        if dtype not in ("float32", "float64") or any(
            parameters[position][name] is not None for position, name in self._absent
        ):
            return None
        recording = torch.is_grad_enabled()
        weights = self._constants.astype(dtype)
        kinds = {getattr(torch, str(dtype))}
        for names, offsets, shape in self._groups:
            tensors = [parameters[position][name] for position, name in names]
            if recording and any(map(operator.attrgetter("requires_grad"), tensors)):
                raise no_gradient()
            if not PLAIN.issuperset(map(type, tensors)):  # a subclass or None
                return None
            # `stack` would convert different dtypes to one.
            if not kinds.issuperset(map(operator.attrgetter("dtype"), tensors)):
                return None
            try:
                stacked = torch.stack(tensors)
            except RuntimeError:  # shapes or devices differ
                return None
            if stacked.device.type != "cpu" or stacked.shape != shape:
                return None
            transposer()(stacked.numpy().reshape(*shape[:2], -1), offsets, weights)
        return weights


PLAIN = frozenset((torch.Tensor, nn.Parameter))
"""The tensor types that the kernel supports; a subclass may redefine operators."""


def no_gradient() -> GradientError:
    """Return the error for a call that would have to record gradients."""
    return GradientError(
        object="execution='numba'",
        expected="a call without gradients",
        received="one that records them",
        remedy="Call the model under torch.no_grad(), or choose another execution, such as "
        "model.execution = 'inlined', to train it.",
    )
