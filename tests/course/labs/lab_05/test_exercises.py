from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
import torch
from torch import nn

from hpml.course.labs.lab_05_computation_graphs.exercises.order import TOPOLOGICAL_ORDER
from hpml.course.labs.lab_05_computation_graphs.exercises.shapes import (
    PROPAGATE_SHAPES,
    shapes_after,
)
from hpml.course.lesson.exercises.exercise import Case
from hpml.course.lesson.exercises.outcomes import Raised, Returned


def judged(edges: dict[str, list[str]], value: object) -> str | None:
    case = Case("a case", {"edges": edges})
    wrong = TOPOLOGICAL_ORDER.judge(case, Returned(value, {}))
    return None if wrong is None else wrong.why


def test_of_all_permutations_exactly_the_orders_pass() -> None:
    edges = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "e": []}
    passed = [
        "".join(order) for order in itertools.permutations("abcde") if not judged(edges, [*order])
    ]
    slow = [
        "".join(order)
        for order in itertools.permutations("abcde")
        if all(order.index(a) < order.index(b) for a in edges for b in edges[a])
    ]
    assert passed == slow
    assert len(slow) == 10


LAYERS: dict[str, Any] = {
    "relu": nn.ReLU,
    "flatten": nn.Flatten,
    "linear": nn.Linear,
    "conv2d": nn.Conv2d,
    "max_pool2d": nn.MaxPool2d,
}


@pytest.mark.parametrize("seed", range(10))
def test_the_shapes_are_those_of_pytorch(seed: int) -> None:
    for case in PROPAGATE_SHAPES.cases(random.Random(seed), True):
        layers: Any = case.data["layers"]
        shape: Any = case.data["input_shape"]
        x, found = torch.empty(shape), []
        try:
            for kind, parameters in layers:
                if kind in ("conv2d", "max_pool2d") and x.dim() != 4:
                    raise ValueError("PyTorch also takes a picture without a batch")
                x = LAYERS[kind](**parameters)(x)
                found.append(tuple(x.shape))
        except (RuntimeError, ValueError, IndexError):
            with pytest.raises(ValueError) as error:
                shapes_after(layers, shape)
            assert str(error.value) == f"layer {len(found)} ({layers[len(found)][0]})", case
        else:
            assert shapes_after(layers, shape) == found, case


def test_the_message_must_name_the_layer_and_no_other() -> None:
    layers = [("relu", {}), ("linear", {"in_features": 4, "out_features": 1})]
    case = Case("a misfit", {"layers": layers, "input_shape": (2, 3)})

    def passes(message: str, kind: str = "ValueError") -> bool:
        return PROPAGATE_SHAPES.judge(case, Raised(kind, (kind,), message)) is None

    assert passes("layer 1 (linear): expected 4 features, received 3")
    assert passes("Layer 1 (linear) does not fit")
    assert not passes("layer 0 (relu), layer 1 (linear)")
    assert not passes("layer 1 (conv2d)")
    assert not passes("layer 1 (linear)", "TypeError")
    assert not passes("layer 11 (linear)")
    assert not passes("")
