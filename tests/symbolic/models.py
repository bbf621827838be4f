"""Programs that the tests run as symbolic models and as plain PyTorch.

A program is a Python function of its inputs. Called with symbolic data it records a graph; called
with real data it *is* the plain PyTorch that the model is compared with. Where a program is built
of nested models, ``plain`` is the same written by hand.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import CustomInput, Input, SymbolicModel, config

PROGRAMS: dict[str, Callable[[str], Program]] = {}


@dataclass
class Program:
    """A function, the layers it uses, and its inputs, symbolic and real."""

    forward: Callable[..., Any]
    inputs: list[Callable[[], Any]]
    samples: list[Any]
    layers: list[nn.Module] = field(default_factory=list)
    plain: Callable[..., Any] | None = None
    random: bool = False
    """Whether it draws random numbers while training."""
    loop_length: float = 50

    def __post_init__(self) -> None:
        self.plain = self.plain or self.forward
        self.modules = nn.ModuleList(self.layers)

    def model(self, execution: str) -> SymbolicModel:
        """Build the model; no handle is left."""
        before = config.CODEGEN_MIN_LOOP_LENGTH
        config.CODEGEN_MIN_LOOP_LENGTH = self.loop_length
        try:
            handles = [make() for make in self.inputs]
            return SymbolicModel(handles, self.forward(*handles), execution=execution)
        finally:
            config.CODEGEN_MIN_LOOP_LENGTH = before


@dataclass
class Observation:
    """Everything that a run leaves behind."""

    outputs: Any
    gradients: list[torch.Tensor | None]
    buffers: list[torch.Tensor]


def observe(run: Callable[..., Any], program: Program) -> Observation:
    """Run forward and backward, and put the layers' state back."""
    state = copy.deepcopy(program.modules.state_dict())
    program.modules.zero_grad()
    samples = [_fresh(sample) for sample in program.samples]
    torch.manual_seed(7)
    outputs = run(*samples)
    total = torch.zeros((), dtype=torch.float64)
    for position, tensor in enumerate(tensors_in(outputs)):
        if tensor.requires_grad:
            weights = torch.linspace(-1, 2 + position, tensor.numel()).reshape(tensor.shape)
            total = total + (tensor * weights).sum().double()
    if total.requires_grad:
        total.backward()
    owners = [*tensors_in(samples), *program.modules.parameters()]
    gradients = [None if t.grad is None else t.grad.clone() for t in owners]
    buffers = [buffer.clone() for buffer in program.modules.buffers()]
    program.modules.load_state_dict(state)
    return Observation(outputs, gradients, buffers)


def _fresh(sample: Any) -> Any:
    if isinstance(sample, torch.Tensor):
        copied = sample.detach().clone()
        return copied.requires_grad_() if copied.is_floating_point() else copied
    return copy.deepcopy(sample)


def tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in tensors_in(part)]
    if isinstance(value, dict):
        return [tensor for part in value.values() for tensor in tensors_in(part)]
    return []


def assert_same(received: Any, expected: Any) -> None:
    """Equal bit for bit, with the same types, at every depth."""
    assert type(received) is type(expected), (type(received), type(expected))
    if isinstance(expected, torch.Tensor):
        assert received.dtype == expected.dtype
        assert received.shape == expected.shape
        assert torch.equal(received, expected), (received - expected).abs().max()
    elif isinstance(expected, (list, tuple)):
        assert len(received) == len(expected)
        for one, other in zip(received, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(received) == list(expected)
        for key in expected:
            assert_same(received[key], expected[key])
    else:
        assert received == expected


def assert_observations_equal(received: Observation, expected: Observation) -> None:
    assert_same(received.outputs, expected.outputs)
    assert_same(received.gradients, expected.gradients)
    assert_same(received.buffers, expected.buffers)


def program(
    make: Callable[..., Program],
) -> Callable[..., Program]:
    PROGRAMS[make.__name__] = make
    return make


def tensor_input(*shape: int, **settings: Any) -> Callable[[], Any]:
    return lambda: Input(shape=shape, **settings)


# --- chains ---------------------------------------------------------------------------------------


@program
def chain_of_linear_layers(execution: str) -> Program:
    layers = [nn.Linear(4, 4) for _ in range(5)]

    def forward(x: Any) -> Any:
        for layer in layers:
            x = layer(x)
        return x

    return Program(forward, [tensor_input(4)], [torch.rand(3, 4)], layers)


@program
def chain_longer_than_the_default_loop(execution: str) -> Program:
    layers = [kind for _ in range(60) for kind in (nn.Linear(4, 4), nn.Tanh())]

    def forward(x: Any) -> Any:
        for layer in layers:
            x = layer(x)
        return x

    return Program(forward, [tensor_input(4)], [torch.rand(3, 4)], layers)


def chains(count: int) -> list[list[nn.Module]]:
    return [[nn.Linear(4, 4) for _ in range(10)] for _ in range(count)]


@program
def chains_of_the_documents(execution: str) -> Program:
    """Two inputs, four chains of ten, as the source of the benchmark page shows."""
    first, second, third, fourth = groups = chains(4)
    middle = [nn.Linear(4, 4), nn.ReLU()]

    def follow(x: Any, layers: list[nn.Module]) -> Any:
        for layer in layers:
            x = layer(x)
        return x

    def forward(x: Any, y: Any) -> Any:
        b = follow(y, first)
        a = follow(x, second)
        z = middle[1](middle[0](a + b))
        p = follow(z, third)
        q = follow(z, fourth)
        return q + p

    layers = [*middle, *(layer for group in groups for layer in group)]
    samples = [torch.rand(3, 4), torch.rand(3, 4)]
    return Program(forward, [tensor_input(4)] * 2, samples, layers, loop_length=10)


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

    def forward(x: Any) -> Any:
        for layer in layers:
            x = layer(x)
        return x

    return Program(forward, [tensor_input(4)], [torch.rand(3, 4)], layers)


# --- networks -------------------------------------------------------------------------------------


@program
def residual_network(execution: str) -> Program:
    layers = [nn.Linear(6, 6), nn.Linear(6, 6), nn.LayerNorm(6), nn.GELU(), nn.Linear(6, 2)]

    def forward(x: Any) -> Any:
        y = layers[3](layers[2](x + layers[0](x)))
        y = y + layers[1](y) * x
        return layers[4](y)

    return Program(forward, [tensor_input(6)], [torch.rand(5, 6)], layers)


def toy_resnet_layers() -> dict[str, nn.Module]:
    def conv(inside: int, out: int, **settings: Any) -> nn.Module:
        return nn.Conv2d(inside, out, 3, **settings)

    return {
        "stem": nn.Sequential(conv(3, 8), nn.BatchNorm2d(8), nn.ReLU(), conv(8, 12), nn.ReLU()),
        "pool": nn.MaxPool2d(3),
        "a1": conv(12, 12, padding=1),
        "n1": nn.BatchNorm2d(12),
        "a2": conv(12, 12, padding=1, bias=False),
        "n2": nn.BatchNorm2d(12),
        "relu": nn.ReLU(),
        "last": conv(12, 12),
        "average": nn.AvgPool2d(2),
        "flatten": nn.Flatten(),
        "norm": nn.BatchNorm1d(12),
        "dropout": nn.Dropout(0.5),
        "head": nn.Linear(12, 10),
    }


@program
def toy_resnet(execution: str) -> Program:
    layers = toy_resnet_layers()

    def forward(x: Any) -> Any:
        x = layers["pool"](layers["stem"](x))
        y = layers["relu"](layers["n1"](layers["a1"](x)))
        y = layers["relu"](layers["n2"](layers["a2"](y)))
        x = x + y
        x = layers["flatten"](layers["average"](layers["last"](x)))
        return layers["head"](layers["dropout"](layers["norm"](x)))

    samples = [torch.rand(4, 3, 19, 19)]
    return Program(forward, [tensor_input(3, 19, 19)], samples, list(layers.values()), random=True)


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

    def follow(x: Any, layers: list[nn.Module]) -> Any:
        for layer in layers:
            x = layer(x)
        return x

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


# --- several results ------------------------------------------------------------------------------


@program
def unpacked_results(execution: str) -> Program:
    lstm = nn.LSTM(3, 4, batch_first=True)
    linear = nn.Linear(2, 3)

    def forward(x: Any) -> Any:
        first, second, _third = torch.chunk(x, 3, dim=2)
        sequence, (hidden, _cell) = lstm(linear(first) + linear(second))
        values, indices = sequence.max(dim=1)
        parts = sequence.split([1, 4], dim=1)
        return hidden, values, indices, parts[1], next(iter(parts))

    return Program(forward, [tensor_input(5, 6)], [torch.rand(2, 5, 6)], [lstm, linear])


class ListOfTwo(nn.Module):
    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        return [x + 1, x * 2]


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, *, scale: float, shift: Any = 0) -> dict[str, Any]:
        return {"out": self.linear(x) * scale + shift, "pair": (x, [x.sum(), 3])}


@program
def layers_that_return_containers(execution: str) -> Program:
    pair, named = ListOfTwo(), Named()

    def forward(x: Any) -> Any:
        a, b = pair(x)
        (c,) = pair(a)[:1]
        result = named(b, scale=0.5, shift=c)
        first, (total, three) = result["pair"]
        return result["out"], first, total, three, result

    return Program(forward, [tensor_input(4)], [torch.rand(3, 4)], [pair, named])


@program
def rows_of_a_known_batch(execution: str) -> Program:
    def forward(x: Any) -> Any:
        total = 0
        for position, row in enumerate(x):
            total = total + row * (position + 1)
        return total, x[1], x[1:, ::2], x[..., None, 0]

    return Program(forward, [lambda: Input(batch_shape=(4, 6))], [torch.rand(4, 6)])


# --- functions, operators, indices ----------------------------------------------------------------


@program
def functions_of_torch(execution: str) -> Program:
    def forward(x: Any, weight: Any, bias: Any) -> Any:
        y = F.conv2d(input=x, weight=weight, bias=bias, padding=1)
        z = torch.cat([F.relu(y), torch.sigmoid(y), F.pad(y, (0, 0, 0, 0))], dim=1)
        z = torch.where(z > 0.5, z, torch.zeros_like(z))
        stacked = torch.stack((z.mean(dim=(2, 3)), z.amax((2, 3))), dim=1)
        product = torch.einsum("bij,bkj->bik", stacked, stacked)
        return F.softmax(product, dim=-1), torch.clamp(z, min=0.1, max=0.9).flatten(1), z.norm()

    inputs = [
        tensor_input(3, 5, 5),
        lambda: Input(batch_shape=(2, 3, 3, 3)),
        lambda: Input(batch_shape=(2,)),
    ]
    samples = [torch.rand(2, 3, 5, 5), torch.rand(2, 3, 3, 3), torch.rand(2)]
    return Program(forward, inputs, samples)


@program
def every_operator(execution: str) -> Program:
    def forward(x: Any, y: Any, i: Any, j: Any) -> Any:
        floats = (
            *(
                x + y,
                x - y,
                x * y,
                x / y,
                x % y,
                x.detach() // y.detach(),
                x**y,
                x @ y.transpose(0, 1),
            ),
            *(2 + x, 2 - x, 2 * x, 2 / x, 2 % x.detach(), 2 // x.detach(), 2**x),
            *(x + 2, x - 2, x * 2, x / 2, x % 2, x.detach() // 2, x**2, x - -1),
            *(-x, +x, abs(x)),
        )
        whole = (i & j, i | j, i ^ j, i << j, i >> j, ~i, i & 3, 5 | i, 5 ^ i, 64 >> j, 1 << j)
        truths = (x < y, x <= y, x > y, x >= y, x < 0.5, x > 0.5)
        return (*floats, *whole, *truths)

    whole = [torch.randint(1, 6, (3, 4)) for _ in range(2)]
    inputs = [tensor_input(4)] * 2 + [tensor_input(4, dtype=torch.int64)] * 2
    return Program(forward, inputs, [torch.rand(3, 4) + 0.1, torch.rand(3, 4) + 0.1, *whole])


@program
def methods_of_tensors(execution: str) -> Program:
    def forward(x: Any) -> Any:
        rows = x.view(x.size(0), -1)
        y = x.permute(0, 2, 1).contiguous().reshape(-1, 3)
        return (
            *(rows, y.t(), y.T, y.mT, x.transpose(1, 2)),
            *(x.sum(), x.sum(1), x.mean(dim=(1, 2), keepdim=True), x.argmax(dim=1), x.std()),
            *(
                x.clamp(0.2, 0.8),
                x.unsqueeze(1).squeeze(1),
                x.to(torch.float64),
                x.masked_fill(x > 1, 0),
            ),
            *(x.median(dim=1).values, x.dim(), x.size(1), x.flatten(1).softmax(-1)),
        )

    return Program(forward, [tensor_input(3, 4)], [torch.rand(2, 3, 4)])


@program
def symbolic_indices(execution: str) -> Program:
    def forward(x: Any, i: Any, n: Any, mask: Any, where: Any) -> Any:
        return (
            *(x[i], x[:, n:], x[i, n], x[..., i:n], x[:n:i]),
            *(x[mask], x[where], x[torch.tensor([2, 0])], x[where, 0], x[[0, 2]]),
        )

    inputs = [
        lambda: Input(batch_shape=(4, 5)),
        lambda: CustomInput(1),
        lambda: CustomInput(2),
        lambda: Input(batch_shape=(4,), dtype=torch.bool),
        lambda: CustomInput(torch.tensor([3, 1])),
    ]
    mask = torch.tensor([True, False, True, True])
    return Program(forward, inputs, [torch.rand(4, 5), 2, 3, mask, torch.tensor([0, 3])])


@program
def constants_tensors_and_parameters(execution: str) -> Program:
    tensor = torch.rand(4)
    holder = nn.ParameterList([nn.Parameter(torch.rand(4, 4)), nn.Parameter(torch.rand(4))])

    def forward(x: Any) -> Any:
        y = x @ holder[0] + holder[1]
        y = torch.cat([y, tensor.expand(2, 4), x], dim=0) - 0.5
        y = tensor * y + torch.nn.functional.linear(y, holder[0], bias=holder[1])
        return y, torch.where(y > tensor, y, tensor.new_zeros(())), holder[1] - x, tensor**y

    return Program(forward, [tensor_input(4)], [torch.rand(2, 4)], [holder])


def described(x: Any, *more: Any, name: str, **options: Any) -> tuple[Any, ...]:
    return x * options["a-b"], name, more, options


@program
def arguments_in_containers(execution: str) -> Program:
    from hpml.symbolic import add_to_graph

    def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        graph = any(not isinstance(a, torch.Tensor) for a in args if hasattr(a, "v"))
        return add_to_graph(function, *args, **kwargs) if graph else function(*args, **kwargs)

    def forward(x: Any, y: Any) -> Any:
        odd = {"a-b": 2, "from": [x, {"deep": (y, "a0 k[0] {0} {l}")}]}
        return call(described, x, (y, [1, y], slice(0, 2)), -1, name="a1, k[0]", **odd)

    samples = [torch.rand(2, 3), torch.rand(2, 3)]
    return Program(forward, [tensor_input(3)] * 2, samples)


# --- other than tensors ---------------------------------------------------------------------------


@program
def custom_data(execution: str) -> Program:
    def forward(table: Any, numbers: Any, members: Any, whole: Any, key: Any, tensor: Any) -> Any:
        first, second, third = numbers
        return (
            *(table["a"] + 1, table[key], table.get("missing", 7), numbers[1:], first - second),
            *((members | {9}) & {1, 9}, members - {1}, whole * 3 - 1, whole**2, -whole, 2 - whole),
            *(third * tensor, tensor * whole, numbers * 2, table["a"] < whole),
        )

    inputs = [
        lambda: CustomInput({"a": 1, "b": 2}),
        lambda: CustomInput([5, 6, 7]),
        lambda: CustomInput({1, 2}),
        lambda: CustomInput(5),
        lambda: CustomInput("b"),
        tensor_input(3),
    ]
    samples = [{"a": 4, "b": 8}, [1, 2, 3], {1, 3}, 11, "a", torch.rand(2, 3)]
    return Program(forward, inputs, samples)
