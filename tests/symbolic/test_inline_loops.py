"""Chains of layers that are written out as loops compute what the layers compute."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel
from tests.symbolic.programs import assert_same

# --- layers in loops ------------------------------------------------------------------------------

KEEPS_SHAPE: list[Callable[[], nn.Module]] = [
    lambda: nn.Linear(4, 4),
    lambda: nn.Linear(4, 4, bias=False),
    nn.ReLU,
    lambda: nn.GELU("tanh"),
    nn.Hardswish,
    nn.Sigmoid,
    nn.Tanh,
    lambda: nn.Dropout(0.2),
    nn.Identity,
    nn.Flatten,
    lambda: nn.LayerNorm(4),
    lambda: nn.LayerNorm((4,), elementwise_affine=False),
    lambda: nn.BatchNorm1d(4),
    lambda: nn.BatchNorm1d(4, affine=False, momentum=None),
    lambda: nn.BatchNorm1d(4, track_running_stats=False),
]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("make", KEEPS_SHAPE, ids=lambda make: type(make()).__name__)
def test_a_loop_over_layers_of_a_kind(make: Callable[[], nn.Module], training: bool) -> None:
    torch.manual_seed(0)
    layers = nn.Sequential(*[make() for _ in range(60)]).train(training)
    twin = copy.deepcopy(layers)
    x = handle = Input(shape=(4,))
    for layer in layers:
        x = layer(x)
    model = SymbolicModel(handle, x, execution="inlined").train(training)
    del x, handle
    results = []
    for run, owner in ((model, layers), (twin, twin)):
        torch.manual_seed(1)
        given = torch.randn(5, 4, requires_grad=True)
        result = run(given * 1)
        result.sum().backward()
        gradients = [p.grad for p in owner.parameters()]
        results.append((result, given.grad, gradients, [b.clone() for b in owner.buffers()]))
    assert_same(*results)
    assert "\n    for " in model.source


def test_layers_of_other_settings_share_a_loop_and_use_their_own() -> None:
    made: list[nn.Module] = [nn.Dropout(i / 5000) for i in range(50)]
    made += [nn.LayerNorm(4, eps=0.1 + i) for i in range(60)]
    layers = nn.Sequential(*made)
    x = handle = Input(shape=(4,))
    for layer in layers:
        x = layer(x)
    model = SymbolicModel(handle, x, execution="inlined")
    given = torch.randn(3, 4)
    results = []
    for run in (model, layers):
        torch.manual_seed(0)
        results.append(run(given))
    assert_same(*results)
    assert model.source.count("    for ") == 2
