"""A block of a transformer, made of plain layers.

Attention lets each position read itself and the positions before it; two linear layers then work on
each position alone. Each half has a normalisation before it and a residual connection around it.

Sources: A. Vaswani et al., "Attention Is All You Need", NeurIPS 2017; R. Xiong et al., "On Layer
Normalization in the Transformer Architecture", ICML 2020, for the place of the normalisation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


class Attention(nn.Module):
    """Causal attention without weights: a position reads itself and those before it.

    Args:
        heads: number of parts of the features that are compared separately, at least 1.

    Shapes:
        queries, keys and values (batch, positions, features), the result the same; `features` is a
        multiple of `heads`.

    >>> x = torch.rand(2, 5, 8)
    >>> bool((Attention(2)(x, x, x)[:, 0] == x[:, 0]).all())  # the first reads itself only
    True
    """

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Return, for each position, its own value and those before it, weighted by likeness."""
        return self._read(queries, keys, values, causal=True)

    def last(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Return the last row of `forward`, from the query of the last position alone.

        >>> x = torch.rand(2, 5, 8)
        >>> torch.allclose(Attention(2).last(x[:, 4:], x, x), Attention(2)(x, x, x)[:, 4:])
        True
        """
        return self._read(query, keys, values, causal=False)

    def _read(self, queries: Tensor, keys: Tensor, values: Tensor, *, causal: bool) -> Tensor:
        q, k, v = (
            torch.unflatten(each, -1, (self.heads, -1)).transpose(1, 2)
            for each in (queries, keys, values)
        )
        read = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return read.transpose(1, 2).flatten(2)


class TransformerBlock(nn.Module):
    """One block: ``x + attention(norm(x))``, then ``x + layers(norm(x))``.

    Args:
        features: numbers for each position, a multiple of `heads`.
        heads: heads of the attention, at least 1.
        seed: seed of the weights, drawn on the CPU; the global random generator is not changed.

    Shapes:
        input (batch, positions, features), output the same.

    >>> block = TransformerBlock()
    >>> block(torch.rand(2, 16, 64)).shape, sum(p.numel() for p in block.parameters())
    (torch.Size([2, 16, 64]), 49984)
    """

    def __init__(self, features: int = 64, heads: int = 4, *, seed: int = 0) -> None:
        super().__init__()
        self.features = features
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.norm_1 = nn.LayerNorm(features)
            self.query = nn.Linear(features, features)
            self.key = nn.Linear(features, features)
            self.value = nn.Linear(features, features)
            self.attention = Attention(heads)
            self.project = nn.Linear(features, features)
            self.norm_2 = nn.LayerNorm(features)
            self.up = nn.Linear(features, 4 * features)
            self.gelu = nn.GELU()
            self.down = nn.Linear(4 * features, features)

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's result for each position."""
        h = self.norm_1(x)
        x = x + self.project(self.attention(self.query(h), self.key(h), self.value(h)))
        result: Tensor = x + self.down(self.gelu(self.up(self.norm_2(x))))
        return result

    def extend(
        self, x: Tensor, kept: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the block's result for new positions, and keys and values of all positions.

        `kept` has the keys and values of earlier positions; then `x` is one position. None if there
        are no earlier positions.
        """
        h = self.norm_1(x)
        query, key, value = self.query(h), self.key(h), self.value(h)
        if kept is None:
            # Its operators, not the layer: a symbolic model then sees what depends on what.
            read = self.attention.forward(query, key, value)
        else:
            key, value = torch.cat([kept[0], key], 1), torch.cat([kept[1], value], 1)
            read = self.attention.last(query, key, value)
        x = x + self.project(read)
        return x + self.down(self.gelu(self.up(self.norm_2(x)))), (key, value)


def symbolic_transformer_block(
    block: TransformerBlock, execution: str, positions: int = 16
) -> SymbolicModel:
    """Return the block as an `hpml.symbolic.SymbolicModel` with the given execution.

    Args:
        block: the block, whose layers are shared.
        execution: one of `hpml.symbolic.EXECUTIONS`.
        positions: the positions of its input, at least 1.

    Raises:
        hpml.symbolic.GraphError: if there is no such execution, or the machine cannot run it.

    >>> model = symbolic_transformer_block(TransformerBlock(), "codegen")
    >>> model(torch.rand(2, 16, 64)).shape
    torch.Size([2, 16, 64])
    """
    from hpml.symbolic import Input, SymbolicModel

    inputs = Input(shape=(positions, block.features))
    # A call of the block itself would be recorded as one layer.
    outputs = block.forward(inputs)  # type: ignore[arg-type]
    return SymbolicModel(inputs, outputs, execution=execution)


def transformer_block_forwards(*executions: str) -> dict[str, nn.Module]:
    """Return a block as models with these executions, traced by torch.fx, and by hand.

    All share their layers.

    >>> list(transformer_block_forwards("lazy"))
    ['lazy', 'torch.fx', 'by hand']
    """
    block = TransformerBlock()
    models: dict[str, nn.Module] = {
        each: symbolic_transformer_block(block, each) for each in executions
    }
    return {**models, "torch.fx": torch.fx.symbolic_trace(block), "by hand": block}
