from __future__ import annotations

import math

import pytest
import torch

from hpml.course.datasets import austen, bigram_loss
from hpml.course.models import (
    CharacterTransformer,
    GenerationError,
    TransformerBlock,
    generate,
    symbolic_continuation,
)
from hpml.course.models.characters import Cache
from hpml.course.training import Recipe, train
from hpml.course.training.trainer import mean_loss
from hpml.symbolic import EXECUTIONS
from tests.parts import raises


def small(context: int = 16, seed: int = 0) -> CharacterTransformer:
    return CharacterTransformer(75, context, features=32, blocks=2, heads=2, seed=seed).eval()


def characters(batch: int = 3, positions: int = 16) -> torch.Tensor:
    generator = torch.Generator().manual_seed(5)
    return torch.randint(0, 75, (batch, positions), generator=generator)


def test_it_has_about_a_million_parameters_in_plain_layers() -> None:
    model = CharacterTransformer(75)
    count = sum(weight.numel() for weight in model.parameters())
    # Per block 12 f² + 13 f with f = 128; then embeddings, head and the last normalisation.
    assert count == 5 * (12 * 128**2 + 13 * 128) + (75 + 128 + 75 + 2) * 128
    assert 0.9e6 < count < 1.1e6


@pytest.mark.parametrize("changed", [0, 7, 15])
def test_a_later_character_changes_no_earlier_score(changed: int) -> None:
    model, text = small(), characters()
    other = text.clone()
    other[:, changed] = (other[:, changed] + 1) % 75
    same = (model(text) == model(other)).all(-1)
    assert same[:, :changed].all()
    assert not same[:, changed:].any()


def test_it_is_embeddings_blocks_norm_and_head() -> None:
    model, text = small(), characters()
    x = model.embed.weight[text] + model.position.weight
    for block in model.blocks:
        x = block(x)
    x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()
    torch.testing.assert_close(model(text), x @ model.head.weight.t())


def test_an_untrained_model_takes_all_characters_as_about_equally_likely() -> None:
    part = austen().validation
    with torch.no_grad():
        loss = mean_loss(CharacterTransformer(75)(part.inputs), part.targets).item()
    assert loss == pytest.approx(math.log(75), abs=0.1)


def test_a_short_training_beats_counting_pairs() -> None:
    """A sixteenth of the size, on windows of 32 characters."""
    data = austen(context=32, epoch_size=960)
    model = CharacterTransformer(75, 32, features=64, blocks=2)
    result = train(
        model, data, Recipe("mine", batch=16, learning_rate=5e-3), epochs=5, device="cpu"
    )
    with torch.no_grad():
        loss = mean_loss(model.eval()(data.validation.inputs), data.validation.targets).item()
    assert loss < bigram_loss(data) - 0.1
    assert result.losses[0] == pytest.approx(math.log(75), abs=0.1)
    # More often right than the most frequent character would be.
    most = data.validation.targets.flatten().bincount().max() / data.validation.targets.numel()
    assert result.accuracy > 1.5 * most


def test_weights_depend_on_the_seed_only() -> None:
    torch.manual_seed(1)
    first = small(seed=7).state_dict()
    before = torch.get_rng_state()
    second, other = small(seed=7).state_dict(), small(seed=8).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["head.weight"], other["head.weight"])
    blocks = small().blocks
    assert not torch.equal(blocks[0].up.weight, blocks[1].up.weight)


def test_scores_with_a_cache_are_those_without() -> None:
    model, text = small(), characters()
    cache: Cache = []
    parts = [model.extend(text[:, :5], cache)]
    parts += [model.extend(text[:, [place]], cache) for place in range(5, 16)]
    torch.testing.assert_close(torch.cat(parts, 1), model(text))
    assert [keys.shape for keys, _ in cache] == [(3, 16, 32)] * 2


def test_the_cache_is_what_a_block_computes_from_earlier_positions() -> None:
    block, x = TransformerBlock(32, 2), torch.rand(2, 6, 32)
    out, (keys, values) = block.extend(x[:, :5], None)
    last, more = block.extend(x[:, 5:], (keys, values))
    torch.testing.assert_close(torch.cat([out, last], 1), block(x))
    torch.testing.assert_close(more[0], block.key(block.norm_1(x)))
    torch.testing.assert_close(more[1], block.value(block.norm_1(x)))


def test_a_full_cache_takes_one_character() -> None:
    model, cache = small(), Cache()
    model.extend(characters(1, 3), cache)
    with raises(GenerationError, object="characters of extend", expected="one", received="2"):
        model.extend(characters(1, 2), cache)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_generation_with_a_cache_gives_the_same_characters_also_beyond_the_context(
    temperature: float,
) -> None:
    model, prompt = small(), characters(1, 5)[0]
    made = [
        generate(model, prompt, 40, cached=cached, temperature=temperature, seed=3)
        for cached in (True, False)
    ]
    assert made[0] == made[1]
    assert len(made[0]) == 40


def test_greedy_generation_takes_the_highest_score() -> None:
    model, text = small(), characters(1, 5)[0].tolist()
    for _ in range(11):
        text.append(int(model(torch.tensor([text]))[0, -1].argmax()))
    assert generate(model, text[:5], 11) == text[5:]


def test_draws_follow_the_probabilities_and_the_seed() -> None:
    model, prompt = small(), [1, 2, 3]
    first = [generate(model, prompt, 1, temperature=0.5, seed=seed)[0] for seed in range(300)]
    assert first == [generate(model, prompt, 1, temperature=0.5, seed=s)[0] for s in range(300)]
    probabilities = (model(torch.tensor([prompt]))[0, -1] / 0.5).softmax(0)
    expected = sum(probabilities[each].item() for each in range(10))
    found = sum(each < 10 for each in first) / 300
    assert found == pytest.approx(expected, abs=4 * math.sqrt(expected / 300))
    assert len(set(first)) > 20


def test_the_older_half_is_forgotten_when_the_context_is_full() -> None:
    model = small(context=4)
    longest: list[int] = []
    model.embed.register_forward_hook(lambda layer, given, out: longest.append(out.shape[1]))
    generate(model, [1, 2], 7, cached=False)
    assert longest == [2, 3, 4, 2, 3, 4, 2]
    longest.clear()
    generate(model, [1, 2, 3, 4, 5, 6], 4)  # the last four of the prompt
    assert longest == [4, 2, 1, 1]
    generate(small(context=1), [1], 3)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("prompt", {"prompt": []}),
        ("count", {"count": 0}),
        ("temperature", {"temperature": -1.0}),
        ("temperature", {"temperature": math.nan}),
    ],
)
def test_impossible_requests_are_refused(name: str, changes: dict[str, object]) -> None:
    given = {"prompt": [1], "count": 1, "temperature": 0.0, **changes}
    with raises(GenerationError, object=f"{name} of generate", received=str(given[name])):
        generate(small(), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_a_prompt_and_one_character_give_the_scores_of_both_together(execution: str) -> None:
    model, text = small(), characters(1, 10)
    both = symbolic_continuation(model, 9, execution)
    torch.testing.assert_close(both(text[:, :9], text[:, 9:]), model(text)[:, 9:])


def test_what_a_known_prompt_leaves_is_the_work_of_one_character() -> None:
    model, text = small(), characters(1, 10)
    both = symbolic_continuation(model, 9)
    with torch.no_grad():
        step = both.partial_run({both.inputs[0]: text[:, :9]})
        torch.testing.assert_close(step(text[:, 9:]), model(text)[:, 9:])
        # Another prompt gives another result: the stored values are the prompt's.
        other = both.partial_run({both.inputs[0]: text[:, 1:]})
        assert not torch.equal(step(text[:, 9:]), other(text[:, 9:]))
        cache: Cache = []
        model.extend(text[:, :9], cache)
    stored = [value for value in step.buffers() if value.shape == (1, 9, 32)]
    kept = [part for pair in cache for part in pair]
    assert len(kept) == len(stored) == 4
    for expected in kept:
        assert any(torch.allclose(expected, found, atol=1e-6) for found in stored)


@pytest.mark.parametrize("prompt", [0, 16])
def test_a_prompt_that_leaves_no_place_is_refused(prompt: int) -> None:
    with raises(GenerationError, object="prompt of symbolic_continuation", received=str(prompt)):
        symbolic_continuation(small(), prompt)
