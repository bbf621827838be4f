from __future__ import annotations

import torch

from hpml.course.models import ACTIVATIONS, convnext


def images(channels: int = 3, resolution: int = 16) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.rand((2, channels, resolution, resolution), generator=generator)


def test_the_large_one_is_within_two_percent_of_the_documents_18_million() -> None:
    with torch.device("meta"):
        model = convnext("tiny-imagenet", classes=200)
        assert model(torch.empty(2, 3, 224, 224)).shape == (2, 200)
        assert model(torch.empty(2, 3, 64, 64)).shape == (2, 200)
    count = sum(p.numel() for p in model.parameters())
    assert abs(count / 18e6 - 1) < 0.02


def test_activations_share_the_weights_of_a_seed_and_differ_in_what_they_compute() -> None:
    before = torch.get_rng_state()
    models = [convnext("small", activation=name, seed=3).eval() for name in ACTIVATIONS]
    assert torch.equal(torch.get_rng_state(), before)
    first = models[0].state_dict()
    for model in models[1:]:
        assert all(torch.equal(first[key], value) for key, value in model.state_dict().items())
    outputs = [model(images()) for model in models]
    for number, output in enumerate(outputs):
        assert not any(torch.equal(output, other) for other in outputs[:number])


def test_grey_pictures_of_eight_pixels_fit_with_a_patch_of_two() -> None:
    assert convnext("small", channels=1, patch=2)(images(1, 8)).shape == (2, 10)


def test_blocks_do_not_share_the_weights_of_an_activation() -> None:
    model = convnext(activation=torch.nn.PReLU())
    slopes = [m for m in model.modules() if isinstance(m, torch.nn.PReLU)]
    assert len(slopes) == len({id(slope.weight) for slope in slopes}) > 1
