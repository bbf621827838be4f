from __future__ import annotations

import math

import pytest
import torch

from hpml.course.models import TransformerBlock, symbolic_transformer_block
from hpml.symbolic import EXECUTIONS


def words(batch: int = 2, positions: int = 16, features: int = 64) -> torch.Tensor:
    return torch.rand((batch, positions, features), generator=torch.Generator().manual_seed(0))


def by_hand(block: TransformerBlock, x: torch.Tensor) -> torch.Tensor:
    """The block in plain arithmetic, one example, one head and one position after the other."""

    def linear(layer: torch.nn.Linear, h: torch.Tensor) -> torch.Tensor:
        return h @ layer.weight.t() + layer.bias

    def norm(layer: torch.nn.LayerNorm, h: torch.Tensor) -> torch.Tensor:
        centred = h - h.mean(-1, keepdim=True)
        return centred / (centred.square().mean(-1, keepdim=True) + layer.eps).sqrt()

    h = norm(block.norm_1, x)
    queries, keys, values = (linear(each, h) for each in (block.query, block.key, block.value))
    read = torch.zeros_like(x)
    size = block.features // block.attention.heads
    for example in range(len(x)):
        for first in range(0, block.features, size):
            part = slice(first, first + size)
            for position in range(x.shape[1]):
                seen = keys[example, : position + 1, part]
                likeness = seen @ queries[example, position, part] / math.sqrt(size)
                weights = likeness.exp() / likeness.exp().sum()
                read[example, position, part] = weights @ values[example, : position + 1, part]
    x = x + linear(block.project, read)
    h = linear(block.up, norm(block.norm_2, x))
    return x + linear(block.down, h * (1 + torch.erf(h / math.sqrt(2))) / 2)


@pytest.mark.parametrize(("features", "heads", "positions"), [(64, 4, 16), (12, 3, 5), (6, 1, 1)])
def test_it_computes_what_the_paper_says(features: int, heads: int, positions: int) -> None:
    block, x = TransformerBlock(features, heads, seed=3).double(), words(2, positions, features)
    x = x.double()
    torch.testing.assert_close(block(x), by_hand(block, x))


def test_a_position_reads_those_before_it_only() -> None:
    block, x = TransformerBlock(), words()
    changed = x.clone()
    changed[:, 7] += 1
    same = (block(x) == block(changed)).all(-1).all(0)
    assert same[:7].all()
    assert not same[7:].any()


def test_weights_depend_on_the_seed_only() -> None:
    torch.manual_seed(1)
    first = TransformerBlock(seed=7).state_dict()
    before = torch.get_rng_state()
    second, other = TransformerBlock(seed=7).state_dict(), TransformerBlock(seed=8).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[key], second[key]) for key in first)
    assert not torch.equal(first["query.weight"], other["query.weight"])


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_all_ways_agree_forwards_and_backwards(execution: str) -> None:
    block, twin = TransformerBlock(), TransformerBlock()
    model = symbolic_transformer_block(twin, execution)
    assert {id(p) for p in model.parameters()} == {id(p) for p in twin.parameters()}
    for batch in (1, 3):
        x = words(batch)
        assert torch.equal(model(x), block(x))
        block(x).square().sum().backward()
        model(x).square().sum().backward()
    for one, other in zip(block.parameters(), twin.parameters(), strict=True):
        assert one.grad is not None
        assert other.grad is not None
        assert torch.equal(one.grad, other.grad)
