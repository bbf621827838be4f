from __future__ import annotations

import copy

import pytest
import torch

from hpml.course.models import ToyResNet, symbolic_toy_resnet
from hpml.symbolic import EXECUTIONS


def images(resolution: int) -> torch.Tensor:
    return torch.rand((2, 3, resolution, resolution), generator=torch.Generator().manual_seed(0))


def normalisations(model: torch.nn.Module) -> list[torch.nn.Module]:
    return [layer for layer in model.modules() if isinstance(layer, torch.nn.BatchNorm2d)]


def test_it_has_the_parameters_of_the_documents() -> None:
    model = ToyResNet()
    assert sum(p.numel() for p in model.parameters()) == 175_530
    assert len(normalisations(model)) == 13
    shortcuts = [block.shortcut for block in model.blocks]
    shapes = [None if s is None else tuple(s.weight.shape) for s in shortcuts]
    assert shapes == [None, None, (32, 16, 1, 1), None, (64, 32, 1, 1), None]


def test_weights_depend_on_the_seed_only() -> None:
    torch.manual_seed(1)
    first = ToyResNet(16, seed=7).state_dict()
    torch.manual_seed(2)
    before = torch.get_rng_state()
    second = ToyResNet(32, seed=7).state_dict()
    other = ToyResNet(16, seed=8).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[key], second[key]) for key in first)
    assert not torch.equal(first["stem.weight"], other["stem.weight"])


@pytest.mark.parametrize("resolution", [4, 16, 20])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_all_ways_agree_to_the_last_bit_and_share_their_weights(
    execution: str, resolution: int
) -> None:
    reference = ToyResNet(resolution, classes=7).eval()
    model = symbolic_toy_resnet(reference, execution).eval()
    x = images(resolution)
    assert torch.equal(model(x), reference(x))
    assert model(x).shape == (2, 7)
    assert {id(p) for p in model.parameters()} == {id(p) for p in reference.parameters()}


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_training_gives_the_same_gradients_and_statistics(execution: str) -> None:
    reference, twin = ToyResNet(16), ToyResNet(16)
    model = symbolic_toy_resnet(twin, execution)
    for each in (reference, model):
        each(images(16)).square().sum().backward()
    for one, other in zip(reference.parameters(), twin.parameters(), strict=True):
        assert torch.equal(one.grad, other.grad)
    for one, other in zip(reference.buffers(), twin.buffers(), strict=True):
        assert torch.equal(one, other)


def test_every_normalisation_shows_in_the_result_in_eval_mode() -> None:
    model = ToyResNet(16).eval()
    expected = model(images(16))
    for position in range(13):
        without = copy.deepcopy(model)
        normalisations(without)[position].reset_running_stats()  # type: ignore[operator]
        assert not torch.allclose(without(images(16)), expected)


def test_building_leaves_the_layers_as_they_were() -> None:
    network = ToyResNet(16)
    symbolic_toy_resnet(network, "inlined")
    fresh = ToyResNet(16).state_dict()
    assert all(torch.equal(value, fresh[key]) for key, value in network.state_dict().items())
