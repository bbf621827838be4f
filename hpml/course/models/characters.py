"""A transformer that reads characters and predicts the next one, in plain PyTorch.

Blocks like this one's, wider and more of them, are the language models of today. Generating a text
runs the network once for each character; a cache of keys and values saves computing those of the
earlier characters again.

Sources: A. Radford et al., "Language Models are Unsupervised Multitask Learners", 2019 (GPT-2),
for the arrangement: learned positions, normalisations before each part and at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from hpml.base.errors import HpmlError, describe
from hpml.course.models.transformer import TransformerBlock

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel

Cache = list[tuple[Tensor, Tensor]]
"""For each block, the keys and values of all positions so far, (batch, positions, features)."""


class GenerationError(HpmlError):
    """A text cannot be generated as requested."""


class CharacterTransformer(nn.Module):
    """A causal transformer on characters, of about a million parameters by default.

    Args:
        characters: the number of different characters.
        context: the most positions that it reads at once.
        features: numbers for each position, a multiple of `heads`.
        blocks: how many `TransformerBlock`s follow one another.
        heads: heads of each attention.
        seed: seed of the weights, drawn on the CPU; the global random generator is not changed.

    Shapes:
        input int64 (batch, positions), with at most `context` positions; output the scores (logits)
        of each next character, (batch, positions, characters).

    >>> model = CharacterTransformer(characters=75)
    >>> sum(weight.numel() for weight in model.parameters())
    1027200
    >>> model(torch.zeros(2, 16, dtype=torch.int64)).shape
    torch.Size([2, 16, 75])
    """

    def __init__(
        self,
        characters: int,
        context: int = 128,
        features: int = 128,
        blocks: int = 5,
        heads: int = 4,
        *,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.context = context
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.embed = nn.Embedding(characters, features)
            self.position = nn.Embedding(context, features)
            self.head = nn.Linear(features, characters, bias=False)
            # Large enough that the blocks' first, random results do not drown the character.
            nn.init.normal_(self.embed.weight, std=0.5)
            nn.init.normal_(self.position.weight, std=0.5)
            # So small that at first all characters are about equally likely.
            nn.init.normal_(self.head.weight, std=0.02)
        self.blocks = nn.ModuleList(
            TransformerBlock(features, heads, seed=seed + 1 + place) for place in range(blocks)
        )
        self.norm = nn.LayerNorm(features)

    def forward(self, characters: Tensor) -> Tensor:
        """Return the scores of the next character after each position."""
        places = torch.arange(characters.shape[1], device=characters.device)
        x = self.embed(characters) + self.position(places)
        for block in self.blocks:
            x = block(x)
        scores: Tensor = self.head(self.norm(x))
        return scores

    def extend(self, characters: Tensor, cache: Cache) -> Tensor:
        """Return the scores after new characters, and add their keys and values to the cache.

        Equal to the last rows of the `forward` of all characters, up to rounding. An empty cache
        means that the characters are the first ones; any later call takes one character.

        Raises:
            GenerationError: if a later call has more than one character.

        >>> model, cache = CharacterTransformer(75).eval(), []
        >>> text = torch.tensor([[3, 1, 4, 1, 5]])
        >>> first, last = model.extend(text[:, :4], cache), model.extend(text[:, 4:], cache)
        >>> torch.allclose(model(text), torch.cat([first, last], 1), atol=1e-5)
        True
        """
        start = cache[0][0].shape[1] if cache else 0
        if start and characters.shape[1] != 1:
            raise GenerationError(
                object="characters of extend",
                expected="one, because the cache is not empty",
                received=str(characters.shape[1]),
                remedy="Pass them one by one, or all of them with an empty cache.",
            )
        places = torch.arange(start, start + characters.shape[1], device=characters.device)
        x = self.embed(characters) + self.position(places)
        before: Sequence[tuple[Tensor, Tensor] | None] = cache or [None] * len(self.blocks)
        for place, (block, kept) in enumerate(zip(self.blocks, before, strict=True)):
            assert isinstance(block, TransformerBlock)
            x, new = block.extend(x, kept)
            cache[place : place + 1] = [new]
        scores: Tensor = self.head(self.norm(x))
        return scores


@torch.inference_mode()
def generate(
    model: CharacterTransformer,
    prompt: Sequence[int] | Tensor,
    count: int,
    *,
    cached: bool = True,
    temperature: float = 0.0,
    seed: int = 0,
) -> list[int]:
    """Return the indices of `count` characters that continue a prompt.

    When the context is full, its older half is forgotten, and generation continues from the rest.

    Args:
        model: the network; its mode is not changed.
        prompt: indices of at least one character; the last ones that fit the context are read.
        count: characters to generate, at least 1.
        cached: keep the keys and values of earlier positions; otherwise each character runs the
            network on all positions. The result is the same.
        temperature: 0 takes the character with the highest score; otherwise one is drawn from the
            probabilities, after the scores are divided by it.
        seed: of the draws.

    Raises:
        GenerationError: if the prompt is empty, or a number is out of its range.

    >>> model = CharacterTransformer(75).eval()
    >>> generate(model, [7, 8, 9], 20) == generate(model, [7, 8, 9], 20, cached=False)
    True
    """
    for name, value, fits, expected in (
        ("prompt", prompt, len(prompt) > 0, "at least one character"),
        ("count", count, count >= 1, "a number from 1"),
        ("temperature", temperature, 0 <= temperature < float("inf"), "a number from 0"),
    ):
        if not fits:
            raise GenerationError(
                object=f"{name} of generate",
                expected=expected,
                received=describe(value),
                remedy="Pass a prompt such as data.encode('It is'), count=100 and temperature=0.",
            )
    device = model.embed.weight.device
    rng = torch.Generator().manual_seed(seed)
    read = [int(each) for each in prompt][-model.context :]
    cache: Cache = []
    made: list[int] = []
    while len(made) < count:
        if len(read) > model.context:
            read, cache = read[-(model.context // 2) or -1 :], []
        if not cached:
            scores = model(torch.tensor([read], device=device))
        else:
            new = read[-1:] if cache else read
            scores = model.extend(torch.tensor([new], device=device), cache)
        last = scores[0, -1].float().cpu()
        if temperature == 0:
            chosen = int(last.argmax())
        else:
            chosen = int(torch.multinomial((last / temperature).softmax(0), 1, generator=rng))
        made.append(chosen)
        read.append(chosen)
    return made


def symbolic_continuation(
    model: CharacterTransformer, prompt: int, execution: str = "codegen"
) -> SymbolicModel:
    """Return the scores after a prompt and one more character, as a model of two inputs.

    Its `partial_run` with a known prompt computes everything about the prompt once. What remains in
    each step is the work of one character; the stored values that it reads are the keys and values
    of the prompt's positions in each block, the KV cache.

    Args:
        model: the network, whose layers are shared.
        prompt: characters of the prompt, from 1 to ``model.context - 1``.
        execution: one of `hpml.symbolic.EXECUTIONS`.

    Raises:
        GenerationError: if prompt and new character are longer than the context.

    >>> model = CharacterTransformer(75).eval()
    >>> both, text = symbolic_continuation(model, 4), torch.tensor([[3, 1, 4, 1, 5]])
    >>> torch.allclose(both(text[:, :4], text[:, 4:]), model(text)[:, 4:], atol=1e-5)
    True
    >>> step = both.partial_run({both.inputs[0]: text[:, :4]})
    >>> torch.allclose(step(text[:, 4:]), model(text)[:, 4:], atol=1e-5)
    True
    """
    from hpml.symbolic import Input, SymbolicModel

    if not 1 <= prompt < model.context:
        raise GenerationError(
            object="prompt of symbolic_continuation",
            expected=f"a number from 1 to {model.context - 1}",
            received=describe(prompt),
            remedy="Use a model with a larger context, or the last characters of the prompt.",
        )
    known = Input(shape=(prompt,), dtype=torch.int64)
    new = Input(shape=(1,), dtype=torch.int64)
    places = model.position.weight.detach()
    x = model.embed(known) + places[:prompt]
    y = model.embed(new) + places[prompt : prompt + 1]
    for block in model.blocks:
        assert isinstance(block, TransformerBlock)
        x, kept = block.extend(x, None)
        y, _ = block.extend(y, kept)
    return SymbolicModel([known, new], model.head(model.norm(y)), execution=execution)
