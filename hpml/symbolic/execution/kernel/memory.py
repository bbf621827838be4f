"""Where the weights of a graph are while the kernel runs: in one array, with its constants.

They are read for each forward: ``torch.stack`` copies all tensors of one shape at once, and sees
that they have it, whatever happened to them meanwhile; a small kernel puts them in their places.
Looking which changed would take longer, and would miss what is written through ``weight.data``.
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
    """Where each tensor and each constant of a graph's steps lies.

    Attributes:
        places: for each step where its constants begin; its tensors follow.
    """

    def __init__(self, steps: Sequence[tuple[int, Step]], layers: Sequence[nn.Module]) -> None:
        self.places: list[int] = []
        constants: list[tuple[int, float]] = []
        groups: dict[tuple[int, ...], list[tuple[int, str, int]]] = {}
        self._none: list[tuple[int, str]] = []
        place = 0
        for position, step in steps:
            self.places.append(place)
            constants += enumerate(step.constants, place)
            place += len(step.constants)
            for name, shape in step.tensors:
                if layers[position]._parameters.get(name) is None:
                    self._none.append((position, name))
                else:
                    groups.setdefault(shape, []).append((position, name, place))
                place += math.prod(shape)
        self._filled = np.zeros(place)
        for place, value in constants:
            self._filled[place] = value
        # For the tensors of one shape: which they are, their places, the shape of the copy.
        self._groups = [
            (
                [(position, name) for position, name, _ in members],
                np.array([place for *_, place in members], np.intp),
                (len(members), *shape),
            )
            for shape, members in groups.items()
        ]

    def read(self, parameters: Sequence[dict[str, Any]], dtype: Any) -> Any:
        """Return the weights as they are now, an array; ``None`` where the layers are to be called.

        That is where they are not what the kernel can read: of another dtype than the values, on
        another device, of another shape, of a type that may compute something else; or where the
        values are no numbers that the kernel computes with.

        Raises:
            GradientError: gradients are recorded, and a weight requires one.
        """
        if dtype not in ("float32", "float64") or any(
            parameters[position][name] is not None for position, name in self._none
        ):
            return None
        recording = torch.is_grad_enabled()
        weights = self._filled.astype(dtype)
        kinds = {getattr(torch, str(dtype))}
        for names, places, shape in self._groups:
            tensors = [parameters[position][name] for position, name in names]
            if recording and any(map(operator.attrgetter("requires_grad"), tensors)):
                raise GradientError(NO_GRADIENT)
            if not PLAIN.issuperset(map(type, tensors)):  # or one that is gone
                return None
            # Of two types `stack` would make one.
            if not kinds.issuperset(map(operator.attrgetter("dtype"), tensors)):
                return None
            try:
                copied = torch.stack(tensors)
            except RuntimeError:  # one of another shape, or elsewhere
                return None
            if copied.device.type != "cpu" or copied.shape != shape:
                return None
            transposer()(copied.numpy().reshape(*shape[:2], -1), places, weights)
        return weights


PLAIN = frozenset((torch.Tensor, nn.Parameter))
"""The types of tensors that are numbers and nothing else; a subclass may have operators its own."""

NO_GRADIENT = (
    "execution='numba' computes no gradients: call the model under torch.no_grad(), or choose "
    "another execution, such as model.execution = 'inlined', to train it"
)
