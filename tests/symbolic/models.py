"""The models of the tests: chains and networks here, the rest in `models_of_functions`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import Input, SymbolicModel
from tests.symbolic import models_of_functions  # noqa: F401 - fills PROGRAMS too
from tests.symbolic.programs import PROGRAMS as PROGRAMS
from tests.symbolic.programs import Program, program, tensor_input


def follow(x: Any, layers: Iterable[nn.Module]) -> Any:
    for layer in layers:
        x = layer(x)
    return x


def chain(
    *layers: nn.Module, shape: tuple[int, ...] = (4,), execution: str | None = None
) -> SymbolicModel:
    x = Input(shape=shape)
    return SymbolicModel(x, follow(x, layers), execution=execution)


def linear_chain(length: int, execution: str | None = None) -> SymbolicModel:
    return chain(*[nn.Linear(4, 4) for _ in range(length)], execution=execution)


@program
def chain_longer_than_the_default_loop(execution: str) -> Program:
    layers = [kind for _ in range(60) for kind in (nn.Linear(4, 4), nn.Tanh())]
    return Program(lambda x: follow(x, layers), [tensor_input(4)], [torch.rand(3, 4)], layers)


@program
def outputs_inside_a_looped_chain(execution: str) -> Program:
    layers = [nn.Linear(4, 4) for _ in range(30)]

    def forward(x: Any) -> Any:
        seen = []
        for layer in layers:
            x = layer(x)
            seen.append(x)
        return seen[11], seen[0], seen[29], seen[11], seen[12]

    return Program(forward, [tensor_input(4)], [torch.rand(3, 4)], layers, loop_length=3)


@program
def chain_of_diamonds(execution: str) -> Program:
    """Written lazily without memory, each diamond doubles the work: 2**30 calls."""
    pairs = [(nn.Linear(3, 3), nn.Tanh()) for _ in range(30)]

    def forward(x: Any) -> Any:
        for left, right in pairs:
            x = (left(x) + right(x)) / 2
        return x

    layers = [layer for pair in pairs for layer in pair]
    return Program(forward, [tensor_input(3)], [torch.rand(2, 3)], layers)


@program
def chain_that_changes_values_in_place(execution: str) -> Program:
    layers = [nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4), nn.Hardswish(inplace=True)]
    return Program(lambda x: follow(x, layers), [tensor_input(4)], [torch.rand(3, 4)], layers)


@program
def residual_network(execution: str) -> Program:
    layers = [nn.Linear(6, 6), nn.Linear(6, 6), nn.LayerNorm(6), nn.GELU(), nn.Linear(6, 2)]

    def forward(x: Any) -> Any:
        y = layers[3](layers[2](x + layers[0](x)))
        y = y + layers[1](y) * x
        return layers[4](y)

    return Program(forward, [tensor_input(6)], [torch.rand(5, 6)], layers)


@program
def dropout_in_branches(execution: str) -> Program:
    layers = [nn.Dropout(0.4), nn.Dropout(0.2), nn.Linear(8, 8), nn.Dropout(0.3)]

    def forward(x: Any) -> Any:
        late = layers[0](x)
        early = layers[1](layers[2](x))
        return layers[3](early) * 2 + late

    return Program(forward, [tensor_input(8)], [torch.rand(6, 8)], layers, random=True)


@program
def random_functions_in_a_row(execution: str) -> Program:
    def forward(x: Any) -> Any:
        x = F.dropout(x, 0.5, training=True)
        return torch.bernoulli(F.rrelu(x + torch.rand_like(x), training=True).sigmoid()) * x

    return Program(forward, [tensor_input(8)], [torch.rand(6, 8)])


@program
def encoder_and_decoder(execution: str) -> Program:
    down = [nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2)]
    up = [nn.Flatten(), nn.Linear(36, 20), nn.Tanh()]

    x = Input(shape=(1, 8, 8))
    encoder = SymbolicModel(x, follow(x, down), execution=execution)
    x = Input(shape=(4, 3, 3))
    decoder = SymbolicModel(x, (follow(x, up), x.mean((2, 3))), execution=execution)

    def forward(x: Any) -> Any:
        hidden, means = decoder(encoder(x))
        again, _ = decoder(encoder(x * 0.5))
        return hidden - again, means

    def plain(x: Any) -> Any:
        first, second = follow(x, down), follow(x * 0.5, down)
        return follow(first, up) - follow(second, up), first.mean((2, 3))

    return Program(
        forward, [tensor_input(1, 8, 8)], [torch.rand(2, 1, 8, 8)], [*down, *up], plain=plain
    )


@program
def shared_layers(execution: str) -> Program:
    layers = [nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh()]

    def forward(x: Any) -> Any:
        for _ in range(3):
            x = layers[2](layers[1](layers[0](x)))
        return x + layers[0](x)

    return Program(forward, [tensor_input(4)], [torch.rand(5, 4)], layers)


@program
def several_inputs_and_outputs(execution: str) -> Program:
    layers = [nn.Linear(4, 3), nn.Linear(2, 3), nn.Bilinear(4, 2, 3)]

    def forward(x: Any, unused: Any, y: Any) -> Any:
        a, b = layers[0](x), layers[1](y)
        return b, a + b, x, layers[2](x, y), b

    inputs = [tensor_input(4), tensor_input(7), tensor_input(2)]
    return Program(forward, inputs, [torch.rand(3, 4), torch.rand(3, 7), torch.rand(3, 2)], layers)


@program
def attention_over_embeddings(execution: str) -> Program:
    layers = [
        nn.Embedding(11, 8),
        nn.MultiheadAttention(8, 2, batch_first=True),
        nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True),
    ]

    def forward(tokens: Any) -> Any:
        x = layers[0](tokens)
        y, weights = layers[1](x, x, x)
        return layers[2](x + y), weights

    inputs = [tensor_input(5, dtype=torch.int64)]
    return Program(forward, inputs, [torch.randint(0, 11, (3, 5))], layers)


def small_model(execution: str | None = None) -> SymbolicModel:
    x = Input(shape=(4,))
    h = nn.Linear(4, 6)(x)
    y = nn.BatchNorm1d(6)(h + 1).relu()
    first, second = y.chunk(2, dim=1)
    return SymbolicModel(x, (first * second, h), execution=execution)


VALUE = torch.linspace(-1, 1, 12).reshape(3, 4)
