"""What lab 13 shows: operations, networks with an activation of one's own, published ratios."""

from __future__ import annotations

import pytest
import torch

from hpml.benchmark import compare
from hpml.course.errors import LabError
from hpml.labs.lab_13_activations import networks, traced
from hpml.models.activations import FastSwishFunction, fast_swish
from hpml.models.convnext import convnext
from hpml.profiling import saved_tensors


def test_an_operation_without_a_rule_is_named() -> None:
    with pytest.raises(LabError):
        traced.operations_of(torch.tanh)


def test_a_network_has_the_activation_and_otherwise_the_librarys_weights() -> None:
    images = torch.rand(2, 3, 32, 32)
    theirs = convnext("small", activation="fastswish")
    torch.testing.assert_close(networks.network(fast_swish)(images), theirs(images))


def test_own_and_librarys_backward_train_alike() -> None:
    ways = (fast_swish, FastSwishFunction.apply)
    one, other = (networks.trained(way, epochs=1, seed=1).losses for way in ways)
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_between_linear_layers_hardswish_keeps_what_fastswish_keeps_and_relu_less() -> None:
    first, last, rows = torch.nn.Linear(8, 32), torch.nn.Linear(32, 8), torch.rand(10, 8)
    relu, hardswish, own = (
        saved_tensors(lambda rows, way=way: last(way(first(rows))), rows).total
        for way in (torch.relu, torch.nn.functional.hardswish, fast_swish)
    )
    assert relu < hardswish == own


def test_ratios_stand_beside_the_documents_of_the_same_name() -> None:
    runs = dict.fromkeys(["GELU", "ReLU", "FastSwish, compiled", "FastSwish, one kernel"], int)
    raced = {batch: compare(runs, rounds=6, min_sample_time=1e-5) for batch in (1, 64)}
    table = networks.beside_published(raced)
    published = table.column("published, batch 1")
    assert published == (1.0, 13.39 / 14.11, 29.32 / 14.11, None)
    assert table.column("published, batch 64")[1] == 62.42 / 60.8
