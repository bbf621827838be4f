from __future__ import annotations

import pytest
import torch

from hpml.course.models import DeepLinear, linear_layers, symbolic_deep_linear
from hpml.symbolic import EXECUTIONS


def test_layers_depend_on_the_seed_only() -> None:
    torch.manual_seed(1)
    first = linear_layers(3, 5, seed=7)
    torch.manual_seed(2)
    before = torch.get_rng_state()
    second = linear_layers(3, 5, seed=7)
    other = linear_layers(3, 5, seed=8)
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(a.weight, b.weight) for a, b in zip(first, second, strict=True))
    assert not torch.equal(first[0].weight, other[0].weight)
    assert not torch.equal(first[0].weight, first[1].weight)


def test_the_hand_written_module_applies_the_layers_in_order() -> None:
    layers = linear_layers(4)
    x = expected = torch.rand(2, 4)
    for layer in layers:
        expected = expected @ layer.weight.T + layer.bias
    torch.testing.assert_close(DeepLinear(layers)(x), expected)


@pytest.mark.parametrize("way", EXECUTIONS)
def test_all_ways_agree_to_the_last_bit_and_share_their_weights(way: str) -> None:
    layers = linear_layers(120)
    x = torch.rand(4, 4)
    model = symbolic_deep_linear(layers, 4, way)
    assert torch.equal(model(x), DeepLinear(layers)(x))
    assert {id(p) for p in model.parameters()} == {id(p) for p in DeepLinear(layers).parameters()}
